import { describe, expect, it } from 'vitest';
import { type DomainEvent, storedEvents } from '../../../shared/domain/domain-event.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { ended, everyRow, finished, idle, readyCampaign } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { rawTable } from '../../support/table.ts';
import { control } from '../../support/team.ts';
import { warehouseCampaign, warehouseOf } from '../../support/warehouse.ts';
import { attemptsOf, subscribe, until } from '../../support/webhooks.ts';
import { dataOf, folder, listenTo, newOwner, newPath, queue, receiver, stack, typesOf } from './events.setup.ts';

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
