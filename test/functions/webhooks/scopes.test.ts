import { describe, expect, it } from 'vitest';
import * as deliveries from '../../../shared/data/webhooks/deliveries.ts';
import type { WebhookEventType } from '../../../shared/domain/webhooks/webhook-event.ts';
import { useSharedTable } from '../../support/data.ts';
import { keyWith, newTeam, type Team } from '../../support/team.ts';

useSharedTable();

const url = 'https://93.184.215.14/hook';
const create = (by: Team, ...events: string[]) => by.api('POST', '/webhooks', { url, events });

const needed: [type: WebhookEventType, scope: string][] = [
  ['contact.updated', 'contacts:read'],
  ['waitlist.signup', 'contacts:read'],
  ['email.opened', 'events:read'],
  ['campaign.sent', 'campaigns:read'],
  ['sequence.enrolled', 'campaigns:read'],
];

describe('a subscription', () => {
  it.each(needed)('to %s needs %s', async (type, scope) => {
    const team = await newTeam();
    const bare = await keyWith(team, ['webhooks:write']);
    const { status, body } = await create(bare, 'webhook.test', type);
    expect([status, body.code, body.message]).toEqual([403, 'missing_scope', expect.stringContaining(scope)]);
    const reader = await keyWith(team, ['webhooks:write', scope]);
    expect((await create(reader, 'webhook.test', type)).status).toBe(200);
  });

  it('to everything needs all of them; tests and keys need none', async () => {
    const team = await newTeam();
    const some = await keyWith(team, ['webhooks:write', 'contacts:write', 'events:read']);
    expect((await create(some, '*')).body.message).toMatch(/: campaigns:read\.$/);
    const all = await keyWith(team, ['webhooks:write', 'contacts:read', 'events:read', 'campaigns:read']);
    expect((await create(all, '*')).status).toBe(200);
    const bare = await keyWith(team, ['webhooks:write']);
    expect((await create(bare, 'webhook.test', 'api_key.expiring')).status).toBe(200);
  });

  it('is neither widened nor sent elsewhere by a key that lacks them', async () => {
    const team = await newTeam();
    const bare = await keyWith(team, ['webhooks:write']);
    const { id } = (await create(team, 'contact.created')).body.data;
    const patch = (body: object) => bare.api('PATCH', `/webhooks/${id}`, body);
    for (const body of [{ url: 'https://93.184.215.15/' }, { events: ['*'] }, { events: ['contact.created'] }])
      expect((await patch(body)).body.code).toBe('missing_scope');
    expect((await patch({ description: 'CRM', is_active: false })).status).toBe(200);
    expect((await patch({ events: ['webhook.test'], url: 'https://93.184.215.15/' })).status).toBe(200);
  });
});

it('a stored answer is sent again only to a key that holds the scopes of its events', async () => {
  const team = await newTeam();
  const [bare, reader] = [
    await keyWith(team, ['webhooks:write']),
    await keyWith(team, ['webhooks:write', 'contacts:read']),
  ];
  const body = { url, events: ['contact.created'] };
  const repeat = (by: Team) => by.api('POST', '/webhooks', body, { 'idempotency-key': 'one' });
  const first = await repeat(team);
  const refused = await repeat(bare);
  expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
  expect(JSON.stringify(refused.body)).not.toContain(first.body.data.secret);
  expect((await repeat(reader)).body).toEqual(first.body);
});

it("a refusal for scopes is not stored: the key's request succeeds with a key that holds them", async () => {
  const team = await newTeam();
  const [bare, reader] = [
    await keyWith(team, ['webhooks:write']),
    await keyWith(team, ['webhooks:write', 'contacts:read']),
  ];
  const once = { 'idempotency-key': 'one' };
  const body = { url, events: ['contact.created'] };
  expect((await bare.api('POST', '/webhooks', body, once)).body.code).toBe('missing_scope');
  const created = await reader.api('POST', '/webhooks', body, once);
  expect(created.status).toBe(200);
  const path = `/webhooks/${created.body.data.id}`;
  const twice = { 'idempotency-key': 'two' };
  expect((await bare.api('PATCH', path, { events: ['contact.deleted'] }, twice)).body.code).toBe('missing_scope');
  expect((await reader.api('PATCH', path, { events: ['contact.deleted'] }, twice)).status).toBe(200);
});

it('a listing of deliveries hides what the reader has no scope to read', async () => {
  const team = await newTeam();
  const { id } = (await create(team, '*')).body.data;
  const attempted = {
    response_status: 200,
    response_body: 'ann@example.com',
    attempt: 1,
    succeeded: true,
    error: null,
  };
  const types = [...needed.map(([type]) => type), 'webhook.test' as const];
  for (const type of types) {
    const event = {
      id: `evt_${type}`,
      type,
      created_at: '2026-11-20T10:00:00.000+00:00',
      data: { email: 'ann@example.com' },
    };
    await deliveries.note(team.id, id, { event_id: event.id, type, body: JSON.stringify(event) }, attempted, false);
  }
  const shownTo = async (reader: Team) => {
    const rows = await reader.data('GET', `/webhooks/${id}/deliveries`);
    expect(rows.map(({ event_type }: { event_type: string }) => event_type).sort()).toEqual(types.toSorted());
    const shown = rows.filter((row: object) => JSON.stringify(row).includes('ann@example.com'));
    return shown.map(({ event_type }: { event_type: string }) => event_type).sort();
  };
  expect(await shownTo(team)).toEqual(types.toSorted());
  expect(await shownTo(await keyWith(team, ['webhooks:read']))).toEqual(['webhook.test']);
  expect(await shownTo(await keyWith(team, ['webhooks:read', 'contacts:write']))).toEqual([
    'contact.updated',
    'waitlist.signup',
    'webhook.test',
  ]);
  const [hidden] = await (await keyWith(team, ['webhooks:read']))
    .data('GET', `/webhooks/${id}/deliveries?per_page=100`)
    .then((rows) => rows.filter(({ event_type }: { event_type: string }) => event_type === 'email.opened'));
  const payload = {
    id: 'evt_email.opened',
    type: 'email.opened',
    created_at: '2026-11-20T10:00:00.000+00:00',
    data: {},
  };
  expect(hidden).toMatchObject({ payload, response_body: null, response_status: 200, attempt: 1, succeeded: true });
});
