import type { Athena } from './aws/athena.ts';
import { clock } from './clock.ts';
import type { Dns } from './dns.ts';
import type { Faults } from './faults.ts';
import type { ControlHandler } from './http/gateway.ts';
import type { HttpResult } from './http/http-event.ts';
import { type Busy, waitUntilIdle } from './idle.ts';
import { inboxPage, maxMessages, messagePage } from './inbox.ts';
import { CommandRefused, type Operators } from './operators.ts';
import type { Ses } from './ses/server.ts';
import type { Usage } from './usage.ts';

const defaultIdleTimeout = 30_000;
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;

/** The parts of the stack that the controls use. */
export interface Controlled {
  operators: Operators;
  ses: Ses;
  dns: Dns;
  athena: Athena;
  faults: Faults;
  usage: Usage;
  busy: Busy;
  /** Advances the stack's clock; a frozen one also past what functions sleep. */
  advance(seconds: number): Promise<void>;
}

type Input = { url: URL; body: Record<string, unknown> };
type Control = (parts: Controlled, input: Input) => Promise<HttpResult> | HttpResult;

const controls: Record<string, Control> = {
  'POST /_local/teams': async ({ operators, ses }, { body }) => {
    const { domains = [], ...team } = body as { domains?: string[] };
    // All domains are checked before the team is created.
    for (const domain of domains) {
      if (!domainName.test(domain)) return refusal(`${domain} is not a domain name`);
      if (ses.hasIdentity(domain)) return refusal(`${domain} belongs to another team`);
    }
    const teamId = await operators.createTeam({ name: 'Team', plan: 'business', ...team });
    return json(200, await operators.setUpTeam(teamId, domains));
  },
  'POST /_local/keys': async ({ operators }, { body: { team_id, scopes, expires_at } }) =>
    json(200, await operators.createKey({ team_id, scopes, expires_at })),
  'POST /_local/identities': async ({ operators, ses }, { body: { domain, tags } }) => {
    if (typeof domain !== 'string' || !domainName.test(domain)) return refusal('domain must be a domain name');
    ses.verifyIdentity(domain, (tags ?? {}) as Record<string, string>);
    await operators.publishClaim(domain);
    return json(200, { domain });
  },
  'POST /_local/dns': ({ dns }, { body: { name, txt } }) => {
    if (typeof name !== 'string' || !Array.isArray(txt)) return refusal('name must be text, txt a list of texts');
    dns.publish(name, txt.map(String));
    return json(200, { name, txt });
  },
  'GET /_local/messages': ({ ses }, { url }) => {
    const filter = (name: string) => url.searchParams.get(name) ?? undefined;
    return json(200, { data: ses.messages({ to: filter('to'), campaign_id: filter('campaign_id') }) });
  },
  'GET /_local/clock': () => json(200, { now: new Date() }),
  'POST /_local/clock': async ({ advance }, { body: { advance_seconds = 0, frozen = clock.frozen } }) => {
    if (typeof advance_seconds !== 'number' || !(advance_seconds >= 0))
      return refusal('advance_seconds must be a number of seconds, 0 or more');
    clock.frozen = frozen === true;
    await advance(advance_seconds);
    return json(200, { now: new Date(), frozen: clock.frozen });
  },
  'POST /_local/ses': ({ ses }, { body: { max_send_rate, signing_zone } }) => {
    if (typeof signing_zone === 'string') {
      ses.setSigningZone(signing_zone);
      return json(200, { signing_zone });
    }
    if (typeof max_send_rate !== 'number' || !(max_send_rate > 0))
      return refusal('max_send_rate must be a number of recipients per second, more than 0');
    ses.setMaxSendRate(max_send_rate);
    return json(200, { max_send_rate });
  },
  'GET /_local/faults': ({ faults }) => json(200, { data: faults.list() }),
  'POST /_local/faults': ({ faults }, { body }) => {
    const wrong = faults.add(body);
    return wrong ? refusal(wrong) : json(200, { data: faults.list() });
  },
  'DELETE /_local/faults': ({ faults }) => {
    faults.clear();
    return json(200, { data: [] });
  },
  'POST /_local/queries': ({ athena }, { body: { sql, csv, scanned_bytes = 0 } }) => {
    if (typeof sql !== 'string' || typeof csv !== 'string') return refusal('sql and csv must be text');
    athena.setResult(sql, csv, Number(scanned_bytes));
    return json(200, { sql });
  },
  'GET /_local/idle': async ({ busy, advance }, { url: { searchParams } }) => {
    const timeout = Number(searchParams.get('timeout_ms') ?? defaultIdleTimeout);
    const team = Number(searchParams.get('team')) || undefined;
    const skips = searchParams.get('advance') === 'true';
    const work = await waitUntilIdle(busy, timeout, { team, ...(skips && { advance }) });
    return work.length === 0 ? json(200, { idle: true }) : json(504, { idle: false, waiting_for: work });
  },
  'GET /_local/queues': ({ busy }) => json(200, { data: busy.queues.measured() }),
  'GET /_local/usage': ({ usage }) => json(200, usage.report()),
  'POST /_local/usage': ({ usage }, { body: { keys } }) => {
    usage.start({ keys: keys === true });
    return json(200, usage.report());
  },
  'DELETE /_local/usage': ({ usage }) => json(200, usage.stop()),
  'GET /inbox': ({ ses }, { url }) => {
    const id = url.searchParams.get('message');
    if (id) return html(messagePage(ses.messages({ message_id: id })[0]));
    const to = url.searchParams.get('to')?.trim() ?? '';
    return html(inboxPage(ses.messages({ to: to || undefined, limit: maxMessages }), to));
  },
};

/** Answers `/_local/…` and `/inbox`; all other paths belong to the API. */
export function controlPages(parts: Controlled): ControlHandler {
  return (request, url, body) => {
    const { pathname } = url;
    const { method = 'GET', url: path = '/', headers } = request;
    if (pathname.startsWith('/_local/ses/')) return parts.ses.track({ method, path, headers });
    if (pathname !== '/inbox' && !pathname.startsWith('/_local/') && pathname !== '/_local') return undefined;
    const control = controls[`${method} ${pathname}`];
    if (control) return perform(control, parts, url, body);
    const known = { controls: Object.keys(controls).map((name) => name.replace(' ', '  ')) };
    if (method === 'GET' && /^\/_local\/?$/.test(pathname)) return json(200, known);
    return json(404, { message: 'There is no such control.', ...known });
  };
}

async function perform(control: Control, parts: Controlled, url: URL, body: Buffer): Promise<HttpResult> {
  try {
    return await control(parts, { url, body: body.length > 0 ? JSON.parse(body.toString()) : {} });
  } catch (error) {
    if (error instanceof CommandRefused || error instanceof SyntaxError) return refusal(error.message);
    throw error;
  }
}

function refusal(message: string): HttpResult {
  return json(422, { message });
}

function json(status: number, content: unknown): HttpResult {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(content)) };
}

function html(page: string): HttpResult {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src * data:; frame-src 'self'",
    },
    body: Buffer.from(page),
  };
}
