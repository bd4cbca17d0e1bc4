import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PutAccountDetailsCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { awsOf, type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

interface Message {
  to: string;
  from: string;
  reply_to: string | null;
  subject: string;
  html: string;
  text: string;
}

const data = mkdtempSync(join(tmpdir(), 'mailwright-send-'));
let stack: Stack;
let team: Team;
let person = 0;

beforeAll(async () => {
  // A separate stack: faults are injected, and an operator's command is run.
  stack = await startStack({ data });
  team = await newTeam({ origin: stack.origin, plan: 'business' });
});
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

const next = (): string => `p${++person}@example.com`;
const whole = (more: object = {}) => ({
  to: next(),
  from_email: `hello@${team.domain}`,
  subject: 'Hello',
  html: '<p>Hello</p>',
  ...more,
});
const send = (more: object = {}, headers?: Record<string, string>) => team.api('POST', '/send', whole(more), headers);
const fault = (given: object) => control('POST', '/faults', given, stack.origin);
const mend = () => control('DELETE', '/faults', undefined, stack.origin);

async function messagesTo(email: string): Promise<Message[]> {
  await idle(stack.origin);
  return (await control('GET', `/messages?to=${encodeURIComponent(email)}`, undefined, stack.origin)).body.data;
}

async function suppressForAll(email: string): Promise<void> {
  const command = ['suppression', 'add', '--platform', '--email', email];
  const env = { ...process.env, MAILWRIGHT_DATA: data };
  await promisify(execFile)(process.execPath, ['bin/run.mjs', 'bin/admin.ts', ...command], { env });
}

async function allowanceLeft(): Promise<number> {
  const { id } = (await team.api('POST', '/campaigns', { name: 'Count' })).body.data;
  return (await team.api('POST', `/campaigns/${id}/preflight`)).body.data.allowance_remaining;
}

describe('POST /send', () => {
  it('sends one message with the variables in subject, HTML and text, each escaped for its context', async () => {
    const to = next();
    const { status, body } = await send({
      to,
      to_name: 'Ann "The" Ünal',
      from_name: 'Shop',
      reply_to: 'help@example.com',
      subject: 'Order {{order.id}} for {{name | default: "you"}}',
      html: '<p>{{name}} bought {{order.items}} at {{email}}{{unknown}}</p><a href="https://example.com/x">x</a>',
      variables: { name: '<b>Ann</b>\r\nBcc: x@y.z', order: { id: 7, items: 'A & B' } },
    });
    expect([status, body]).toEqual([
      200,
      { data: { status: 'sent', to, subject: 'Order 7 for <b>Ann</b> Bcc: x@y.z', delivered: true } },
    ]);
    const [message, ...more] = await messagesTo(to);
    expect(more).toEqual([]);
    expect(message!.from).toBe(`Shop <hello@${team.domain}>`);
    expect(message!.subject).toBe('Order 7 for <b>Ann</b> Bcc: x@y.z');
    expect(message!.html).toContain(`&#60;b&#62;Ann&#60;/b&#62;\r\nBcc: x@y.z bought A &#38; B at ${to}</p>`);
    expect(message!.text).toContain('bought A & B');
    expect(message!.html).not.toContain('/_local/ses/');
  });

  it('sends under every name that is accepted: with specials, beyond ASCII, too long for SES', async () => {
    const names = ['Acme, "Inc."', 'Zoë & 東京 🎉', '東'.repeat(100)];
    const shown = [];
    for (const name of names) {
      const to = next();
      expect((await send({ to, from_name: name, to_name: name })).status).toBe(200);
      // As the stack reads it from the header.
      shown.push((await messagesTo(to))[0]!.from);
    }
    const address = `<hello@${team.domain}>`;
    expect(shown.slice(0, 2)).toEqual([`"Acme, \\"Inc.\\"" ${address}`, `Zoë & 東京 🎉 ${address}`]);
    expect(shown[2]).toMatch(/^東{30,100} </);
  });

  it("uses a system template or the team's, unless HTML is given", async () => {
    const made = (await team.api('POST', '/templates', { name: 'Mine', html_content: '<p>Mine {{x}}</p>' })).body.data;
    const [mine, theirs, own] = [next(), next(), next()];
    await send({ to: mine, html: null, template_id: made.id, variables: { x: 1 } });
    await send({ to: theirs, html: undefined, template_id: 1 });
    await send({ to: own, template_id: made.id });
    expect((await messagesTo(mine))[0]!.html).toContain('Mine 1');
    expect((await messagesTo(theirs))[0]!.html).toContain('<html');
    expect((await messagesTo(own))[0]!.html).toContain('Hello');
    const optional = ['text', 'template_id', 'to_name', 'from_name', 'reply_to', 'variables', 'ignore_suppression'];
    expect((await send(Object.fromEntries(optional.map((name) => [name, null])))).body.data?.status).toBe('sent');
    const neither = await send({ html: null });
    expect([neither.status, Object.keys(neither.body.errors)]).toEqual([422, ['html']]);
    const unknown = await send({ html: null, template_id: 999_999 });
    expect([unknown.status, Object.keys(unknown.body.errors)]).toEqual([422, ['template_id']]);
  });

  it("honours the team's suppressions, unless the request waives them, and always the platform's", async () => {
    const own = next();
    await team.api('POST', '/suppressions', { email: own, reason: 'unsubscribe' });
    const refused = await send({ to: own });
    expect([refused.status, refused.body.code]).toEqual([422, 'recipient_suppressed']);
    expect((await send({ to: own, ignore_suppression: true })).body.data.status).toBe('sent');
    expect(await messagesTo(own)).toHaveLength(1);
    const suppressed = next();
    await suppressForAll(suppressed);
    const { status, body } = await send({ to: suppressed, ignore_suppression: true });
    expect([status, body.code]).toEqual([422, 'recipient_suppressed']);
    expect(await messagesTo(suppressed)).toEqual([]);
  });

  it('requires a sender on a verified domain of the team', async () => {
    const other = await newTeam({ origin: stack.origin });
    for (const domain of [other.domain, 'nowhere.example']) {
      const { status, body } = await send({ from_email: `me@${domain}` });
      expect([status, body.code]).toEqual([422, 'sending_domain_unverified']);
    }
  });

  it('counts only sent messages against the allowance', async () => {
    const before = await allowanceLeft();
    const suppressed = next();
    await team.api('POST', '/suppressions', { email: suppressed, reason: 'manual' });
    await send({ to: suppressed });
    await send({ from_email: 'me@nowhere.example' });
    expect(await allowanceLeft()).toBe(before);
    await send();
    expect(await allowanceLeft()).toBe(before - 1);
  });

  it('sends only to verified recipients while the team is in sandbox, and names the reason', async () => {
    const sandboxed = await newTeam({ origin: stack.origin, sandbox: true });
    const body = { ...whole(), from_email: `me@${sandboxed.domain}` };
    expect((await sandboxed.api('POST', '/send', body)).body.data).toEqual({
      status: 'sandboxed',
      to: body.to,
      subject: 'Hello',
      delivered: false,
    });
    expect(await messagesTo(body.to)).toEqual([]);
    // What another team has verified is no address of this one.
    const others = { ...body, to: `somebody@${team.domain}` };
    expect((await sandboxed.api('POST', '/send', others)).body.data).toMatchObject({ status: 'sandboxed' });
    const own = { ...body, to: `somebody@${sandboxed.domain}` };
    expect((await sandboxed.api('POST', '/send', own)).body.data).toMatchObject({ status: 'sent', delivered: true });
  });

  it("sends only to verified recipients while SES's account is in sandbox", async () => {
    const ses = new SESv2Client(awsOf(data));
    const production = async (ProductionAccessEnabled: boolean) => {
      const details = { MailType: 'TRANSACTIONAL', WebsiteURL: 'https://example.com' } as const;
      await ses.send(new PutAccountDetailsCommand({ ...details, ProductionAccessEnabled }));
      // The functions cache the account for up to a minute.
      await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
    };
    await production(false);
    const before = await allowanceLeft();
    const [unverified, own] = [await send(), await send({ to: `somebody@${team.domain}` })];
    expect([unverified, own].map(({ body }) => [body.data?.status, body.data?.delivered])).toEqual([
      ['sandboxed', false],
      ['sent', true],
    ]);
    expect(await messagesTo(unverified.body.data.to)).toEqual([]);
    expect(await allowanceLeft()).toBe(before - 1);
    const { id } = await team.data('POST', '/campaigns', { name: 'Sandbox' });
    expect((await team.data('POST', `/campaigns/${id}/preflight`)).blockers).toContain('sandboxed');
    await production(true);
    expect((await send()).body.data.status).toBe('sent');
  });

  it('sends once per Idempotency-Key, also when the answer of SES was lost', async () => {
    const key = () => ({ 'idempotency-key': `send-${person}-${Math.random()}` });
    const body = whole();
    const once = key();
    const answers = [];
    for (let again = 0; again < 3; again++) answers.push(await team.api('POST', '/send', body, once));
    expect(answers.map(({ body: answer }) => answer.data?.status)).toEqual(['sent', 'sent', 'sent']);
    expect(await messagesTo(body.to)).toHaveLength(1);

    await control(
      'POST',
      '/faults',
      { service: 'ses', operation: 'SendEmail', error: 'lost_response', count: 1 },
      stack.origin,
    );
    const lost = whole();
    const first = await team.api('POST', '/send', lost, key());
    expect(first.body.data).toMatchObject({ status: 'sent', delivered: false });
    expect(await messagesTo(lost.to)).toHaveLength(1);
  });

  it('says that it has sent when a crash lost the answer, whatever keeps the message back by then', async () => {
    const [body, key] = [whole(), `crashed-${person}`];
    const headers = { 'idempotency-key': key };
    expect((await team.api('POST', '/send', body, headers)).status).toBe(200);
    const table = await rawTable(data);
    const [row] = await table
      .partition(`TEAM#${team.id}#IDEMPOTENCY`)
      .then((all) => all.filter(({ sk }) => sk === key));
    const { status: _status, body: _body, ...unanswered } = row!;
    await table.write([{ ...unanswered, pk: row!.pk, sk: key, lease_until: 0 }]);
    await team.data('POST', '/suppressions', { email: body.to, reason: 'manual' });
    const { status, body: answer } = await team.api('POST', '/send', body, headers);
    expect([status, answer.data]).toEqual([200, { status: 'sent', to: body.to, subject: 'Hello', delivered: false }]);
    expect(await messagesTo(body.to)).toHaveLength(1);
  });

  it('answers 503 and counts nothing when SES throttles, and sends when the request is repeated', async () => {
    const before = await allowanceLeft();
    await control(
      'POST',
      '/faults',
      { service: 'ses', operation: 'SendEmail', error: 'TooManyRequestsException', count: 1 },
      stack.origin,
    );
    const body = whole();
    const key = { 'idempotency-key': `throttled-${person}` };
    const busy = await team.api('POST', '/send', body, key);
    expect([busy.status, busy.body.code, busy.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect(await allowanceLeft()).toBe(before);
    expect((await team.api('POST', '/send', body, key)).body.data).toMatchObject({ status: 'sent', delivered: true });
    expect(await messagesTo(body.to)).toHaveLength(1);
    expect(await allowanceLeft()).toBe(before - 1);
  });

  it('does not wait for campaigns that have reserved the next seconds', async () => {
    const { now } = (await control('GET', '/clock', undefined, stack.origin)).body;
    const booked = { pk: 'PLATFORM', sk: 'SEND_RATE', booked_until: Date.parse(now) + 3_600_000 };
    await (await rawTable(data)).write([booked]);
    expect((await send()).body.data).toMatchObject({ status: 'sent', delivered: true });
    const [rate] = (await (await rawTable(data)).partition('PLATFORM')).filter(({ sk }) => sk === 'SEND_RATE');
    expect(rate!.booked_until).toBeGreaterThan(booked.booked_until);
    await (await rawTable(data)).write([{ ...booked, booked_until: 0 }]);
  });

  it('is sent from a verified domain while SES does not answer about domains', async () => {
    const pending = `pending.${team.domain}`;
    await team.data('POST', '/sending-domains', { domain: pending });
    await fault({ service: 'ses', operation: 'GetEmailIdentity', error: 'TooManyRequestsException' });
    const answers = [await send(), await send({ from_email: `me@${pending}` })];
    await mend();
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [503, 'unavailable'],
    ]);
  });

  it('is refused to a suspended team', async () => {
    const own = await newTeam({ origin: stack.origin });
    const ask = () => own.api('POST', '/send', whole({ from_email: `me@${own.domain}` }));
    await operate(data, 'team suspend', { team_id: own.id });
    const { status, body } = await ask();
    expect([status, body.code, body.blockers]).toEqual([422, 'send_blocked', ['sending_suspended']]);
    expect(body.message).not.toContain('campaign');
    await operate(data, 'team unsuspend', { team_id: own.id });
    expect((await ask()).status).toBe(200);
  });

  it('is refused when its values would make it too large', async () => {
    const variables = { x: 'x'.repeat(15_000) };
    const { status, body } = await send({ html: '{{x}}'.repeat(30_000), variables });
    expect([status, body.code, Object.keys(body.errors ?? {})]).toEqual([422, 'validation_error', ['variables']]);
    expect((await send({ html: '{{x}}'.repeat(30), variables })).status).toBe(200);
  });

  it.each([
    ['to', { to: 'nobody' }],
    ['from_email', { from_email: 'nobody' }],
    ['subject', { subject: '' }],
    ['subject', { subject: 'Two\nlines' }],
    ['to_name', { to_name: 'a\r\nBcc: x@y.z' }],
    ['variables', { variables: [1] }],
    ['ignore_suppression', { ignore_suppression: 'yes' }],
  ])('refuses a bad %s by its path', async (path, bad) => {
    const { status, body } = await send(bad);
    expect([status, body.code, Object.keys(body.errors)]).toEqual([422, 'validation_error', [path]]);
  });
});
