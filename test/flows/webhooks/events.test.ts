import { describe, expect, it } from 'vitest';
import { ended, readyCampaign } from '../../support/campaign.ts';
import { enrol, newContacts, newSequence, newStep } from '../../support/sequence.ts';
import { control } from '../../support/team.ts';
import { dataOf, listenTo, newOwner, stack, typesOf } from './events.setup.ts';

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
