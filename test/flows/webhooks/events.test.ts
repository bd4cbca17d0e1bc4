import { describe, expect, it } from 'vitest';
import { type DomainEvent, storedEvents } from '../../../shared/domain/domain-event.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { ended, idle, readyCampaign } from '../../support/campaign.ts';
import { enrol, newContacts, newSequence, newStep } from '../../support/sequence.ts';
import { rawTable } from '../../support/table.ts';
import { control } from '../../support/team.ts';
import { attemptsOf, subscribe, until } from '../../support/webhooks.ts';
import { dataOf, folder, listenTo, newOwner, newPath, queue, receiver, stack, typesOf } from './events.setup.ts';

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
    const refused = { service: 'sqs', operation: 'SendMessageBatch', error: 'ServiceUnavailable', count: 6 };
    await control('POST', '/faults', { ...refused, containing: 'mailwright-dev-webhooks' }, stack.origin);
    expect((await team.api('POST', '/events', { events })).body.code).toBe('unavailable');
    await control('DELETE', '/faults', undefined, stack.origin);
    expect(await all()).toEqual([]);
    for (let time = 0; time < 2; time++) expect((await team.api('POST', '/events', { events })).status).toBe(200);
    expect(await all(1)).toHaveLength(1);
  });
});

describe('a campaign', () => {
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
  const path = newPath();
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

it('sends nothing of an erased contact but its deletion, though a worker has a copy, and keeps nothing', async () => {
  const team = await newOwner();
  const path = newPath();
  const held: (() => void)[] = [];
  receiver.behave(path, ({ raw, body }, response) => {
    const refuse = () => void response.writeHead(500).end(raw);
    if (body.type === 'contact.updated') held.push(refuse);
    else refuse();
  });
  const { id } = await subscribe(team, receiver.url + path, ['contact.updated', 'contact.deleted']);
  const email = `copied-${team.id}@example.com`;
  const contact = await team.data('POST', '/contacts', { email });
  await team.data('PATCH', `/contacts/${contact.id}`, { first_name: 'Secret' });
  await until(() => held.length === 1);
  const [update] = receiver.to(path);
  await team.data('POST', `/contacts/${contact.id}/erase`);
  held[0]!();
  const attempts = async (type: string) =>
    (await attemptsOf(team, id)).filter(({ event_type }: { event_type: string }) => event_type === type);
  await until(async () => (await attempts('contact.updated')).length === 1);
  await until(async () => (await attempts('contact.deleted')).length >= 1);
  expect(JSON.stringify(await attemptsOf(team, id))).not.toMatch(/copied-|Secret/);
  // A queue may deliver a message again, days later.
  const message = {
    team_id: team.id,
    webhook_id: id,
    event_id: update!.body.id,
    type: 'contact.updated',
    body: update!.raw,
  };
  await queue('webhooks', message);
  await control('POST', '/clock', { advance_seconds: 2 * 86_400 }, stack.origin);
  await queue('webhooks', message);
  await idle(stack.origin);
  expect(receiver.to(path).filter(({ body }) => body.type === 'contact.updated')).toHaveLength(1);
  expect(await attempts('contact.deleted')).toHaveLength(8);
  expect(JSON.stringify(await attemptsOf(team, id))).not.toMatch(/copied-|Secret/);
  expect((await (await rawTable(folder)).naming(email)).map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);

  // Another contact with the address has deliveries of its own.
  await team.data('POST', '/contacts', { email });
  await team.data('PATCH', `/contacts/${email}`, { first_name: 'Other' });
  await until(() => held.length === 2);
  held[1]!();
  await until(async () => JSON.stringify(await attempts('contact.updated')).includes('Other'));
});

it('publishes the messages of a page also when its first recipient was erased before', async () => {
  const team = await newOwner();
  const [first, second] = ['first', 'second'].map((name) => `${name}-${team.id}@example.com`);
  const { campaign } = await readyCampaign(team, [{ email: first! }, { email: second! }]);
  await team.api('POST', `/campaigns/${campaign}/send`);
  const { sent_at } = await ended(stack.origin, team, campaign);
  await team.data('POST', `/contacts/${first}/erase`);
  const received = await listenTo(team, 'email.sent');
  const pageSent = {
    id: 'x',
    type: 'email.sent',
    campaign_id: campaign,
    sent_at,
    leaf: first,
    page: 0,
    places: [0, 1],
  };
  await queue('notices', { team_id: team.id, notices: [pageSent], at: sent_at });
  expect(dataOf(await received(1), 'email.sent')).toMatchObject([{ email: second, campaign_id: campaign }]);
});

it('publishes the compressed events of an import as a job of the version before queues them', async () => {
  const team = await newOwner();
  const received = await listenTo(team, 'contact.deleted');
  const events = Array.from({ length: 12 }, (_, at): DomainEvent => {
    const email = `gone${at}@example.com`;
    return { id: `${at}.2`, type: 'contact.deleted', contact_id: at + 1, email };
  });
  await queue('notices', { team_id: team.id, notices: storedEvents(events), at: timestamp() });
  expect(dataOf(await received(12), 'contact.deleted')).toHaveLength(12);
});
