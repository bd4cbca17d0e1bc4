import { beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../functions/catalogue.ts';
import { readyCampaign, rows } from '../support/campaign.ts';
import { routeOf, sampleBody } from '../support/samples.ts';
import { newSequence, newStep } from '../support/sequence.ts';
import { keyWith, newTeam, type Team } from '../support/team.ts';
import { anyPath } from './any-path.ts';

/** The contract's endpoints by the scope that each requires; `none` requires only a key. */
const contract = {
  none: [
    'GET /me',
    'GET /ai/usage',
    'GET /api-keys',
    'POST /api-keys',
    'GET /api-keys/scopes',
    'DELETE /api-keys/{key}',
  ],
  'contacts:read': [
    'GET /contacts',
    'GET /contacts/{contact}',
    'GET /lists',
    'GET /lists/{list}',
    'GET /lists/{list}/contacts',
    'GET /tags',
    'GET /tags/{tag}',
    'GET /segments',
    'POST /segments/preview',
    'GET /segments/{segment}',
    'POST /segments/{segment}/preview',
    'GET /waitlists',
    'GET /waitlists/{waitlist}',
    'GET /waitlists/{waitlist}/signups',
  ],
  'contacts:write': [
    'POST /contacts',
    'POST /contacts/bulk',
    'PATCH /contacts/{contact}',
    'DELETE /contacts/{contact}',
    'POST /contacts/{contact}/tags',
    'DELETE /contacts/{contact}/tags/{tag}',
    'POST /contacts/{contact}/erase',
    'POST /lists',
    'PATCH /lists/{list}',
    'DELETE /lists/{list}',
    'POST /lists/{list}/contacts',
    'DELETE /lists/{list}/contacts/{contact}',
    'POST /tags',
    'PATCH /tags/{tag}',
    'DELETE /tags/{tag}',
    'POST /segments',
    'PATCH /segments/{segment}',
    'DELETE /segments/{segment}',
    'POST /sequences/{sequence}/subscribers',
    'DELETE /sequences/{sequence}/subscribers/{contact}',
    'POST /waitlists/{waitlist}/signups',
    'POST /waitlists/{waitlist}/invite',
  ],
  'campaigns:read': [
    'GET /campaigns',
    'GET /campaigns/{campaign}',
    'POST /campaigns/{campaign}/preflight',
    'GET /templates',
    'GET /templates/{template}',
    'GET /sequences',
    'GET /sequences/{sequence}',
    'GET /sequences/{sequence}/subscribers',
  ],
  'campaigns:write': [
    'POST /campaigns',
    'PATCH /campaigns/{campaign}',
    'DELETE /campaigns/{campaign}',
    'PUT /campaigns/{campaign}/content',
    'POST /campaigns/{campaign}/variants',
    'POST /templates',
    'PATCH /templates/{template}',
    'DELETE /templates/{template}',
  ],
  'campaigns:send': [
    'POST /campaigns/{campaign}/send',
    'POST /campaigns/{campaign}/schedule',
    'POST /campaigns/{campaign}/cancel',
    'POST /campaigns/{campaign}/test',
  ],
  'events:read': [
    'GET /campaigns/{campaign}/report',
    'GET /campaigns/{campaign}/report/links',
    'GET /campaigns/{campaign}/report/variants',
    'GET /campaigns/{campaign}/recipients',
    'GET /events',
  ],
  'events:write': ['POST /events'],
  'suppressions:read': ['GET /suppressions'],
  'suppressions:write': ['POST /suppressions', 'DELETE /suppressions'],
  'transactional:send': ['POST /send'],
  'ai:write': ['POST /ai/polish', 'POST /ai/subject-lines', 'POST /ai/deliverability'],
  'webhooks:read': [
    'GET /webhooks',
    'GET /webhooks/event-types',
    'GET /webhooks/{endpoint}',
    'GET /webhooks/{endpoint}/deliveries',
  ],
  'webhooks:write': [
    'POST /webhooks',
    'PATCH /webhooks/{endpoint}',
    'DELETE /webhooks/{endpoint}',
    'POST /webhooks/{endpoint}/test',
    'POST /webhooks/{endpoint}/rotate-secret',
  ],
};

const scopes = Object.keys(contract).filter((scope) => scope !== 'none');
const routes = Object.entries(contract).flatMap(([scope, own]) => own.map((route) => ({ route, scope })));
const scoped = routes.filter(({ scope }) => scope !== 'none');
const endpoints = new Map(
  Object.values(catalogue).flatMap((folder) => Object.values(folder).map((found) => [routeOf(found), found] as const)),
);

/** The scopes that open an endpoint: the required one, and the `:write` that includes a `:read`. */
const openedBy = (scope: string): string[] =>
  [scope, scope.replace(/:read$/, ':write')].filter((one, at, all) => scopes.includes(one) && all.indexOf(one) === at);

const unknownId = 999_999;

let team: Team;
const keys = new Map<string, Team>();

/** A key with exactly these scopes, created once. */
async function holding(held: readonly string[]): Promise<Team> {
  const name = held.join();
  const key = keys.get(name) ?? (await keyWith(team, held));
  keys.set(name, key);
  return key;
}

const ask = async (held: readonly string[], route: string) => {
  const endpoint = endpoints.get(route)!;
  const { status, body } = await (await holding(held)).api(
    endpoint.method,
    anyPath(endpoint, unknownId),
    sampleBody(endpoint),
  );
  return { status, code: body.code, message: body.message };
};

beforeAll(async () => {
  team = await newTeam();
});

it('serves all 84 endpoints of the contract, and marks every other one as an extension', () => {
  expect(new Set(routes.map(({ route }) => route)).size).toBe(84);
  for (const { route } of routes) expect(endpoints.get(route)?.extension, route).toBeFalsy();
  const beyond = [...endpoints].filter(([route]) => !routes.some((one) => one.route === route));
  for (const [route, { extension }] of beyond) expect(extension, route).toBe(true);
});

describe.each(scoped)('$route', ({ route, scope }) => {
  it(`is refused to every scope but ${openedBy(scope).join(' and ')}`, async () => {
    const others = scopes.filter((one) => !openedBy(scope).includes(one));
    expect(await ask(others, route)).toEqual({
      status: 403,
      code: 'missing_scope',
      message: `The API key lacks the scope ${scope}.`,
    });
    expect((await ask([], route)).code).toBe('missing_scope');
  });

  it.each(openedBy(scope))('is open to a key with %s alone', async (held) => {
    const { status, code } = await ask([held], route);
    expect([200, 404, 422], code).toContain(status);
  });
});

it.each(contract.none)('%s is open to a key without scopes', async (route) => {
  const { status, code } = await ask([], route);
  expect([200, 404], code).toContain(status);
});

/** What is on its way to be sent: the endpoints that change it, each with a body that does. */
const sends: Record<string, { path: () => Promise<string>; body?: unknown }> = {
  'PATCH /campaigns/{campaign}': { path: scheduled, body: { name: 'Other', subject: 'Other' } },
  'PUT /campaigns/{campaign}/content': { path: scheduled },
  'POST /campaigns/{campaign}/variants': { path: scheduled },
  'PATCH /sequences/{sequence}': { path: () => inSequence('draft'), body: { status: 'active' } },
  'PUT /sequences/{sequence}/steps': {
    path: () => inSequence('active'),
    body: { steps: [newStep('Other')] },
  },
};

async function scheduled(): Promise<string> {
  const { campaign } = await readyCampaign(team, rows(1));
  await team.data('POST', `/campaigns/${campaign}/schedule`, { send_at: '2030-01-01T00:00:00Z' });
  return `/campaigns/${campaign}`;
}

const inSequence = async (status: string) => `/sequences/${await newSequence(team, [newStep('Hello')], { status })}`;

const sending = [...endpoints].flatMap(([route, { sendsWhen }]) => (sendsWhen ? [route] : []));

it('knows every endpoint that changes what is on its way to be sent', () => {
  expect(sending.sort()).toEqual(Object.keys(sends).sort());
});

it.each(sending)('%s changes what a sender approved with campaigns:send only', async (route) => {
  const endpoint = endpoints.get(route)!;
  const { path, body = sampleBody(endpoint) } = sends[route]!;
  const at = (await path()) + endpoint.path.replace(/^\/\w+\/\{\w+\}/, '');
  const refused = await (await holding(['campaigns:write'])).api(endpoint.method, at, body);
  expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
  expect(refused.body.message).toContain('campaigns:send');
  if (at.startsWith('/campaigns')) expect(refused.body.message).toContain('cancel');
  const sender = await holding(['campaigns:write', 'campaigns:send']);
  expect((await sender.api(endpoint.method, at, body)).status).toBe(200);
});

it('lets a key without campaigns:send edit a draft, and rename, pause or stop an active sequence', async () => {
  const writer = await holding(['campaigns:write']);
  const { campaign } = await readyCampaign(team, rows(1));
  await writer.data('PATCH', `/campaigns/${campaign}`, { name: 'Other', subject: 'Other' });
  const sequence = await inSequence('active');
  await writer.data('PATCH', sequence, { name: 'Renamed', status: 'active' });
  for (const field of ['from_email', 'from_name', 'reply_to']) {
    const { status } = await writer.api('PATCH', sequence, { [field]: `other@${team.domain}` });
    expect([field, status]).toEqual([field, 403]);
  }
  await writer.data('PATCH', sequence, { status: 'paused' });
  await writer.data('PUT', `${sequence}/steps`, { steps: [newStep('Other')] });
});
