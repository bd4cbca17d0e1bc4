import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ended, everyRow, finished, idle, readyCampaign } from '../../support/campaign.ts';
import { document, faults } from '../../support/document.ts';
import { operate } from '../../support/operate.ts';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.ts';
import { enrol, newContacts, newSequence, newStep } from '../../support/sequence.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';
import { warehouseCampaign, warehouseOf } from '../../support/warehouse.ts';
import { attemptsOf, subscribe, until } from '../../support/webhooks.ts';

let folder: string;
let stack: Stack;
let receiver: Receiver;
let paths = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-webhook-events-'));
  [stack, receiver] = await Promise.all([
    startStack({ data: folder, context: { webhookAllowLoopback: 'true' } }),
    startReceiver(),
  ]);
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.stop();
  await receiver?.stop();
  await rm(folder, { recursive: true, force: true });
});

const newOwner = () => newTeam({ origin: stack.origin });

/** Subscribes an endpoint to some events of a team; the result returns the bodies that it received. */
async function listenTo(team: Team, ...events: string[]) {
  const path = `/hook-${++paths}`;
  await subscribe(team, receiver.url + path, events);
  return async (count?: number): Promise<Received['body'][]> => {
    if (count !== undefined) await until(() => receiver.to(path).length >= count);
    await idle(stack.origin);
    const bodies = receiver.to(path).map(({ body }) => body);
    for (const body of bodies) {
      const { schema } = document.webhooks[body.type].post.requestBody.content['application/json'];
      expect(faults(schema, body), body.type).toEqual([]);
    }
    return bodies;
  };
}

const typesOf = (bodies: { type: string }[]) => bodies.map(({ type }) => type).sort();
const dataOf = (bodies: Received['body'][], type: string) =>
  bodies.filter((body) => body.type === type).map(({ data }) => data);

it('publishes each change of a contact once, with the record as the API shows it', async () => {
  const team = await newOwner();
  const all = await listenTo(team, '*');
  const deletions = await listenTo(team, 'contact.deleted');
  const ann = (await team.api('POST', '/contacts', { email: 'ann@example.com', metadata: { city: 'Oslo' } })).body.data;
  expect(dataOf(await all(1), 'contact.created')).toEqual([ann]);
  const named = (await team.api('PATCH', `/contacts/${ann.id}`, { first_name: 'Ann' })).body.data;
  expect(dataOf(await all(2), 'contact.updated')).toEqual([named]);
  await team.api('PATCH', `/contacts/${ann.id}`, { first_name: 'Ann' });
  const left = (await team.api('PATCH', `/contacts/${ann.id}`, { status: 'unsubscribed' })).body.data;
  expect(dataOf(await all(3), 'contact.unsubscribed')).toEqual([left]);
  await team.api('DELETE', `/contacts/${ann.id}`);
  expect(dataOf(await all(4), 'contact.deleted')).toEqual([{ id: ann.id, email: 'ann@example.com' }]);
  const bodies = await all();
  expect(bodies).toHaveLength(4);
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(4);
  for (const { created_at } of bodies) expect(created_at).toMatch(/\.\d{3}\+00:00$/);
  expect(typesOf(await deletions(1))).toEqual(['contact.deleted']);
});

it('publishes signups and invitations of waitlists', async () => {
  const team = await newOwner();
  const all = await listenTo(team, 'waitlist.signup', 'waitlist.invited');
  const { id } = (await team.api('POST', '/waitlists', { name: 'Soon' })).body.data;
  const signup = (await team.api('POST', `/waitlists/${id}/signups`, { email: 'ann@example.com' })).body.data;
  expect(dataOf(await all(1), 'waitlist.signup')).toEqual([{ waitlist_id: id, ...signup }]);
  await team.api('POST', `/waitlists/${id}/invite`, { count: 1 });
  expect(dataOf(await all(2), 'waitlist.invited')).toMatchObject([
    { waitlist_id: id, email: 'ann@example.com', status: 'invited' },
  ]);
});

it('publishes each enrollment in a sequence and each completion once', async () => {
  const team = await newOwner();
  const all = await listenTo(team, 'sequence.enrolled', 'sequence.completed');
  const sequence = await newSequence(team, [newStep('Only')]);
  const [contact_id] = await newContacts(team, ['ann@example.com']);
  await enrol(team, sequence, ['ann@example.com']);
  const bodies = await all(2);
  expect(typesOf(bodies)).toEqual(['sequence.completed', 'sequence.enrolled']);
  const person = { sequence_id: sequence, contact_id, email: 'ann@example.com' };
  expect(dataOf(bodies, 'sequence.enrolled')).toMatchObject([person]);
  expect(dataOf(bodies, 'sequence.completed')).toMatchObject([{ ...person, status: 'completed', current_step: 1 }]);
});

describe('delivery events', () => {
  it('are published once, as GET /events shows them, however often a client reports them', async () => {
    const team = await newOwner();
    await team.api('POST', '/contacts', { email: 'ann@example.com' });
    const all = await listenTo(team, 'email.opened', 'email.clicked', 'email.bounced', 'email.delivered');
    const report = (event: string, metadata: object = {}) => ({
      email: 'ann@example.com',
      event,
      provider: 'other',
      metadata: { provider_event_id: `${event}-1`, ...metadata },
    });
    const events = [
      report('delivered'),
      report('opened', { bot: true }),
      report('clicked', { url: 'https://example.com/' }),
      report('deferred'),
      report('bounced', { bounce_type: 'soft' }),
    ];
    expect((await team.api('POST', '/events', { events: [...events, events[0]] })).status).toBe(200);
    expect((await team.api('POST', '/events', { events })).status).toBe(200);
    const bodies = await all(4);
    const listed = (await team.api('GET', '/events?include_machine_opens=true')).body.data;
    const shown = listed.filter(({ event }: { event: string }) => event !== 'deferred');
    const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
    expect(bodies.map(({ data }) => data).sort(byId)).toEqual(shown.sort(byId));
    for (const { type, data, created_at } of bodies)
      expect([type, created_at]).toEqual([`email.${data.event}`, data.created_at]);
    expect(dataOf(bodies, 'email.opened')).toMatchObject([{ is_machine_open: true }]);
  });

  it('of every type, and the changes of the contact, are published with the body of the OpenAPI document', async () => {
    const team = await newOwner();
    const [ann, bob] = ['ann@example.com', 'bob@example.com'];
    await team.api('POST', '/contacts/bulk', { contacts: [{ email: ann }, { email: bob }] });
    const all = await listenTo(team, '*');
    await all(0);
    const quiet = ['queued', 'sent', 'delivered', 'deferred', 'dropped', 'opened', 'clicked'];
    const events = [
      ...quiet.map((event) => ({ email: ann, event })),
      { email: ann, event: 'unsubscribed' },
      { email: ann, event: 'spam_report' },
      { email: bob, event: 'bounced' },
    ];
    expect((await team.api('POST', '/events', { events })).status).toBe(200);
    const bodies = (await all(12)).filter(({ type }) => type !== 'contact.created');
    expect(typesOf(bodies)).toEqual(
      [...events.map(({ event }) => `email.${event}`), 'contact.unsubscribed', 'contact.updated'].sort(),
    );
    expect(dataOf(bodies, 'contact.updated')).toMatchObject([{ email: bob, status: 'bounced' }]);
    expect(dataOf(bodies, 'contact.unsubscribed')).toMatchObject([{ email: ann, status: 'unsubscribed' }]);
    const { data } = (await team.api('GET', '/webhooks')).body;
    await team.api('POST', `/webhooks/${data[0].id}/test`);
    expect(dataOf(await all(bodies.length + 1), 'webhook.test')).toEqual([
      { webhook_id: data[0].id, message: expect.any(String) },
    ]);
  });

  it('that could not be queued are published when the report is repeated', async () => {
    const team = await newOwner();
    const all = await listenTo(team, 'email.delivered');
    const events = [{ email: 'ann@example.com', event: 'delivered', metadata: { provider_event_id: 'once' } }];
    await control(
      'POST',
      '/faults',
      { service: 'sqs', operation: 'SendMessageBatch', error: 'ServiceUnavailable', count: 6 },
      stack.origin,
    );
    expect((await team.api('POST', '/events', { events })).body.code).toBe('unavailable');
    await control('DELETE', '/faults', undefined, stack.origin);
    expect(await all()).toEqual([]);
    for (let time = 0; time < 2; time++) expect((await team.api('POST', '/events', { events })).status).toBe(200);
    expect(await all(1)).toHaveLength(1);
  });
});

describe('a campaign', () => {
  it('is published from queued to delivered, message by message, with the events that GET /events shows', async () => {
    const team = await newOwner();
    const all = await listenTo(team, '*');
    const people = Array.from({ length: 60 }, (_, index) => ({ email: `p${index}@example.com` }));
    const { campaign } = await readyCampaign(team, [...people, { email: 'bounce@simulator.amazonses.com' }]);
    await all(61);
    expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
    expect((await ended(stack.origin, team, campaign)).status).toBe('sent');
    const events = await everyRow(team, `/events?campaign_id=${campaign}`);
    const mail = (await all(61 + 2 + events.length)).filter(({ type }) => type.startsWith('email.'));
    const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
    expect(mail.map(({ data }) => data).sort(byId)).toEqual(events.sort(byId));
    const counts = Object.fromEntries(
      [...Map.groupBy(mail, ({ type }) => type)].map(([type, rows]) => [type, rows.length]),
    );
    expect(counts).toEqual({ 'email.queued': 61, 'email.sent': 61, 'email.delivered': 60, 'email.bounced': 1 });
    const moves = (await all()).filter(({ type }) => type.startsWith('campaign.'));
    expect(typesOf(moves)).toEqual(['campaign.sending', 'campaign.sent']);
    const shown = (await team.api('GET', `/campaigns/${campaign}`)).body.data;
    expect(dataOf(moves, 'campaign.sent')).toEqual([shown]);
  });

  it('is published when it is scheduled, cancelled, held, refused and failed', async () => {
    const team = await newOwner();
    const all = await listenTo(
      team,
      'campaign.scheduled',
      'campaign.cancelled',
      'campaign.held',
      'campaign.failed',
      'campaign.sending',
    );
    const first = (await readyCampaign(team, [{ email: 'ann@example.com' }])).campaign;
    const send_at = new Date(Date.now() + 86_400_000).toISOString();
    await team.api('POST', `/campaigns/${first}/schedule`, { send_at });
    const scheduled = (await team.api('GET', `/campaigns/${first}`)).body.data;
    expect(dataOf(await all(1), 'campaign.scheduled')).toEqual([scheduled]);
    await team.api('POST', `/campaigns/${first}/cancel`);
    expect(dataOf(await all(2), 'campaign.cancelled')).toMatchObject([{ id: first, status: 'cancelled' }]);
    const html = '<a href="http://10.0.0.1/x">https://example.com</a> <a href="{{unsubscribe_url}}">Unsubscribe</a>';
    const odd = (await readyCampaign(team, [{ email: 'ann@example.com' }], { html })).campaign;
    await team.api('POST', `/campaigns/${odd}/send`);
    expect(dataOf(await all(3), 'campaign.held')).toMatchObject([{ id: odd, status: 'held' }]);
    const { campaign, list } = await readyCampaign(team, [{ email: 'bob@example.com' }]);
    const at = new Date(Date.now() + 3 * 3_600_000).toISOString();
    await team.api('POST', `/campaigns/${campaign}/schedule`, { send_at: at });
    await team.api('DELETE', `/lists/${list}`);
    await control('POST', '/clock', { advance_seconds: 4 * 3_600 }, stack.origin);
    expect(dataOf(await all(5), 'campaign.failed')).toMatchObject([{ id: campaign, status: 'failed' }]);
    expect(await all()).toHaveLength(5);
  });

  it('with a warehouse audience is published, also when its export is empty or unusually large', async () => {
    const team = await newOwner();
    const all = await listenTo(team, 'campaign.held', 'campaign.failed');
    const warehouse = warehouseOf(folder);
    await warehouse.operate('warehouse set', { team_id: team.id });
    const empty = await warehouseCampaign(team);
    await team.api('POST', `/campaigns/${empty}/send`);
    expect(dataOf(await all(1), 'campaign.failed')).toMatchObject([{ id: empty, failure_reason: 'audience_empty' }]);
    const people = Array.from({ length: 10_001 }, (_, index) => `p${index}@x.example`);
    await warehouse.put(team, '1.csv', `email\n${people.join('\n')}\n`);
    const large = await warehouseCampaign(team);
    await team.api('POST', `/campaigns/${large}/send`);
    expect((await finished(team, large, stack.origin)).status).toBe('held');
    expect(dataOf(await all(2), 'campaign.held')).toMatchObject([{ id: large, status: 'held' }]);
    expect(await all()).toHaveLength(2);
  }, 240_000);

  it('of a suspended team is published as queued when it opens paused, and as sending once it is resumed', async () => {
    const team = await newOwner();
    const all = await listenTo(team, 'email.queued', 'campaign.sending');
    const { campaign } = await readyCampaign(team, [{ email: 'ann@example.com' }, { email: 'bob@example.com' }]);
    const noWorkflow = { service: 'states', operation: 'StartExecution', error: 'ExecutionLimitExceeded' };
    await control('POST', '/faults', noWorkflow, stack.origin);
    expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(503);
    await operate(folder, 'team suspend', { team_id: team.id });
    await control('DELETE', '/faults', undefined, stack.origin);
    await control('POST', '/clock', { advance_seconds: 180 }, stack.origin);
    const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
    const queued = dataOf(await all(2), 'email.queued').sort(byId);
    expect(queued).toEqual((await everyRow(team, `/events?campaign_id=${campaign}`)).sort(byId));
    expect((await team.data('GET', `/campaigns/${campaign}`)).status).toBe('paused');
    await operate(folder, 'team unsuspend', { team_id: team.id });
    await team.data('POST', `/campaigns/${campaign}/resume`);
    expect(typesOf(await all(3))).toEqual(['campaign.sending', 'email.queued', 'email.queued']);
  });

  it('queues nothing for a team that does not subscribe to its events', async () => {
    const team = await newOwner();
    await listenTo(team, 'contact.deleted');
    const { campaign } = await readyCampaign(team, [{ email: 'ann@example.com' }, { email: 'bob@example.com' }]);
    const used = async () => (await control('GET', '/usage', undefined, stack.origin)).body.functions;
    const before = (await used())['mailwright-dev-deliver-webhook']?.invocations ?? 0;
    await team.api('POST', `/campaigns/${campaign}/send`);
    await ended(stack.origin, team, campaign);
    expect((await used())['mailwright-dev-deliver-webhook']?.invocations ?? 0).toBe(before);
  });
});

it('lists nothing of an erased contact, and publishes only its deletion', async () => {
  const team = await newOwner();
  const path = `/hook-${++paths}`;
  receiver.behave(path, (request, response) =>
    response.writeHead(request.body.type === 'contact.updated' ? 500 : 200).end(),
  );
  const { id } = await subscribe(team, receiver.url + path);
  const email = 'private@example.com';
  const contact = (await team.api('POST', '/contacts', { email, metadata: { city: 'Oslo' } })).body.data;
  await team.api('PATCH', `/contacts/${contact.id}`, { first_name: 'Secret' });
  await until(() => receiver.to(path).length >= 2);
  expect((await team.api('POST', `/contacts/${contact.id}/erase`)).status).toBe(200);
  await until(() => receiver.to(path).some(({ body }) => body.type === 'contact.deleted'));
  const received = receiver.to(path).length;
  await control('POST', '/clock', { advance_seconds: 900 }, stack.origin);
  expect(receiver.to(path).length - received).toBeLessThanOrEqual(1);
  const attempts = await attemptsOf(team, id);
  expect(attempts.length).toBeGreaterThanOrEqual(3);
  expect(JSON.stringify(attempts)).not.toMatch(/private@|Secret|Oslo/);
  for (const { payload, event_id } of attempts) expect(payload).toMatchObject({ id: event_id, data: {} });
});
