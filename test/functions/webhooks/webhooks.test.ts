import { beforeAll, describe, expect, it } from 'vitest';
import { bothWays } from '../../support/paging.ts';
import { keyWith, newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

const url = 'https://93.184.215.14/hook';
const quiet = ['sequence.completed'];
const create = (body: object, headers?: Record<string, string>) => team.api('POST', '/webhooks', body, headers);
const made = async (body: object = {}) => (await create({ url, events: quiet, ...body })).body.data;
const patch = (id: number, body: object) => team.api('PATCH', `/webhooks/${id}`, body);

const types = [
  ...[
    'queued',
    'sent',
    'delivered',
    'deferred',
    'bounced',
    'dropped',
    'opened',
    'clicked',
    'spam_report',
    'unsubscribed',
  ].map((event) => `email.${event}`),
  ...['created', 'updated', 'unsubscribed', 'deleted'].map((event) => `contact.${event}`),
  ...['scheduled', 'sending', 'sent', 'partial', 'failed', 'held', 'cancelled'].map((event) => `campaign.${event}`),
  'sequence.enrolled',
  'sequence.completed',
  'waitlist.signup',
  'waitlist.invited',
  'api_key.expiring',
  'webhook.test',
];

describe('creating an endpoint', () => {
  it('shows its secret, which nothing shows again', async () => {
    const { status, body } = await create({ url, description: 'CRM', events: ['contact.created', 'email.opened'] });
    expect(status).toBe(200);
    const { secret, ...shown } = body.data;
    expect(shown).toEqual({
      id: expect.any(Number),
      url,
      description: 'CRM',
      events: ['contact.created', 'email.opened'],
      is_active: true,
      last_delivered_at: null,
      consecutive_failures: 0,
    });
    expect(secret).toMatch(/^whsec_/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect((await team.api('GET', `/webhooks/${shown.id}`)).body.data).toEqual(shown);
    const listed = (await team.api('GET', '/webhooks')).body.data.find(({ id }: { id: number }) => id === shown.id);
    expect(listed).toEqual(shown);
    expect((await patch(shown.id, { description: null })).body.data).toEqual({ ...shown, description: null });
  });

  it('shows the same secret to a repeated request, and creates one endpoint', async () => {
    const headers = { 'idempotency-key': 'endpoint-1' };
    const first = await create({ url, events: quiet }, headers);
    const again = await create({ url, events: quiet }, headers);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
    expect((await create({ url, events: ['*'] }, headers)).body.code).toBe('idempotency_key_reused');
  });

  it.each([
    ['no URL', { events: ['*'] }, 'url'],
    ['no types', { url }, 'events'],
    ['an empty list of types', { url, events: [] }, 'events'],
    ['types that are none', { url, events: 'contact.created' }, 'events'],
    ['an unknown type', { url, events: ['contact.created', 'contact.exploded'] }, 'events.1'],
    ['a description with line breaks', { url, events: ['*'], description: 'a\nb' }, 'description'],
    ['a private address', { url: 'http://10.0.0.1/', events: ['*'] }, 'url'],
    ['the address of this machine', { url: 'http://127.0.0.1:8080/', events: ['*'] }, 'url'],
    ['the name of this machine', { url: 'http://localhost:8080/', events: ['*'] }, 'url'],
    ['the metadata service', { url: 'http://169.254.169.254/latest', events: ['*'] }, 'url'],
    ['an address in disguise', { url: 'http://0x7f.1/', events: ['*'] }, 'url'],
    ['credentials', { url: 'https://user:pass@93.184.215.14/', events: ['*'] }, 'url'],
    ['a port of something else', { url: 'http://93.184.215.14:25/', events: ['*'] }, 'url'],
    ['a line break', { url: 'https://example.com/a\r\nX: y', events: ['*'] }, 'url'],
    ['another scheme', { url: 'ftp://93.184.215.14/', events: ['*'] }, 'url'],
    ['a name that does not resolve', { url: 'https://nowhere.invalid/', events: ['*'] }, 'url'],
    ['2,049 characters', { url: `${url}${'x'.repeat(2_049 - url.length)}`, events: ['*'] }, 'url'],
  ])('refuses %s on its field', async (_what, body, field) => {
    const { status, body: answer } = await create(body);
    expect([status, answer.code, Object.keys(answer.errors)]).toEqual([422, 'validation_error', [field]]);
  });

  it('gives the reason when a URL is refused', async () => {
    const { body } = await create({ url: 'http://10.0.0.1/', events: ['*'] });
    expect(body.errors.url).toEqual(['must lead to public addresses only, not to one that is private']);
    const unresolved = await create({ url: 'https://nowhere.invalid/', events: ['*'] });
    expect(unresolved.body.errors.url).toEqual(['must name a host that resolves; this one does not']);
  });
});

describe('changing an endpoint', () => {
  it('keeps fields that are not given', async () => {
    const { id, secret: _secret, ...before } = await made({ description: 'CRM' });
    const other = 'https://93.184.215.14/other';
    expect((await patch(id, {})).body.data).toEqual({ id, ...before });
    expect((await patch(id, { url: other })).body.data).toEqual({ id, ...before, url: other });
    expect((await patch(id, { events: ['*'] })).body.data).toEqual({ id, ...before, url: other, events: ['*'] });
    const off = await patch(id, { is_active: false, events: quiet });
    expect(off.body.data).toEqual({ id, ...before, url: other, is_active: false });
    expect((await patch(id, { is_active: true })).body.data.is_active).toBe(true);
  });

  it('checks given fields as creation does', async () => {
    const { id } = await made();
    for (const [body, field] of [
      [{ url: 'http://192.168.1.1/' }, 'url'],
      [{ url: '' }, 'url'],
      [{ events: [] }, 'events'],
      [{ events: ['nothing'] }, 'events.0'],
      [{ is_active: 'no' }, 'is_active'],
    ] as const)
      expect(Object.keys((await patch(id, body)).body.errors)).toEqual([field]);
    expect((await team.api('GET', `/webhooks/${id}`)).body.data).toMatchObject({ url, events: quiet });
  });
});

it('deletes an endpoint, whose deliveries are not listed any more', async () => {
  const { id } = await made();
  expect((await team.api('GET', `/webhooks/${id}/deliveries`)).body.data).toEqual([]);
  expect((await team.api('DELETE', `/webhooks/${id}`)).body).toEqual({ data: { id, deleted: true } });
  for (const path of [`/webhooks/${id}`, `/webhooks/${id}/deliveries`])
    expect((await team.api('GET', path)).status).toBe(404);
  for (const path of ['test', 'rotate-secret'])
    expect((await team.api('POST', `/webhooks/${id}/${path}`)).status).toBe(404);
});

it('rotates the secret, and shows the new one once', async () => {
  const { id, secret, ...rest } = await made();
  const { body } = await team.api('POST', `/webhooks/${id}/rotate-secret`);
  expect(body.data).toEqual({ id, ...rest, secret: expect.stringMatching(/^whsec_/) });
  expect(body.data.secret).not.toBe(secret);
});

it('lists endpoints newest first, page by page', async () => {
  team = await newTeam();
  const ids = [];
  for (let index = 0; index < 5; index++) ids.push((await made()).id);
  expect((await bothWays(team, '/webhooks', 2)).map(({ id }) => id)).toEqual(ids.reverse());
});

it('names every type of event', async () => {
  const { body } = await team.api('GET', '/webhooks/event-types');
  expect(body.data.map(({ type }: { type: string }) => type).sort()).toEqual(types.sort());
  for (const { description } of body.data) expect(description.length).toBeGreaterThan(10);
});

it('allows a read-only key to read, and refuses its changes', async () => {
  const { id } = await made();
  const reader = await keyWith(team, ['webhooks:read']);
  expect((await reader.api('GET', `/webhooks/${id}`)).status).toBe(200);
  const writes = [
    ['POST', '/test'],
    ['POST', '/rotate-secret'],
    ['PATCH', ''],
    ['DELETE', ''],
  ] as const;
  for (const [method, path] of writes)
    expect((await reader.api(method, `/webhooks/${id}${path}`, method === 'PATCH' ? {} : undefined)).status).toBe(403);
});
