import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended, everyRow, idle, readyCampaign } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';
import { advance } from '../../support/webhooks.ts';

const [hour, day] = [3_600, 86_400];
const people = ['ann', 'bob', 'cleo'].map((name) => ({ email: `${name}@example.com` }));

let stack: Stack;
let team: Team;
let campaign: number;

beforeAll(async () => {
  stack = await startStack();
  team = await newTeam({ origin: stack.origin });
  ({ campaign } = await readyCampaign(team, people));
  await team.api('POST', `/campaigns/${campaign}/send`);
  await ended(stack.origin, team, campaign);
});
afterAll(() => stack?.stop());

const report = (event: object) => team.api('POST', '/events', { events: [event] });
const metrics = async () => (await team.data('GET', `/campaigns/${campaign}/report`)).metrics;
const types = async (filter: string) => (await everyRow(team, `/events?${filter}`)).map(({ event }) => event).sort();

it('lists events for exactly 180 days, native ones too, with every filter', async () => {
  const sent = await types(`campaign_id=${campaign}`);
  expect(sent).toHaveLength(9);
  await advance(stack.origin, 180 * day - hour);
  const late = { email: people[0]!.email, event: 'opened', campaign_id: campaign };
  expect((await report(late)).status).toBe(200);
  const filters = ['include_machine_opens=true', `campaign_id=${campaign}`, 'since=2020-01-01'];
  for (const filter of filters) expect(await types(filter)).toEqual([...sent, 'opened'].sort());
  const own = ['delivered', 'opened', 'queued', 'sent'];
  expect(await types(`email=${people[0]!.email}`)).toEqual(own);
  let last = await team.api('GET', '/events?per_page=1');
  while (last.body.has_more) last = await team.api('GET', `/events?per_page=1&cursor=${last.body.next_cursor}`);
  await advance(stack.origin, hour);
  await ended(stack.origin, team, campaign);
  for (const filter of [...filters, `email=${people[0]!.email}`, `email=${people[0]!.email}&campaign_id=${campaign}`])
    expect(await types(filter)).toEqual(['opened']);
  // An older cursor leads to nothing that has expired.
  const { body } = await team.api('GET', `/events?per_page=1&cursor=${last.body.prev_cursor}`);
  expect(body.data.map(({ event }: { event: string }) => event)).toEqual(['opened']);
});

it("keeps a campaign's count of deliveries in a recount after their rows expired", async () => {
  expect(await metrics()).toMatchObject({ delivered: 3, opened: 1 });
  const open = { email: people[1]!.email, event: 'opened', campaign_id: campaign };
  const lost = { service: 'dynamodb', operation: 'UpdateItem', error: 'lost_response', rate: 0.5 };
  await control('POST', '/faults', lost, stack.origin);
  for (let time = 0; time < 10; time++) expect([200, 503]).toContain((await report(open)).status);
  await control('DELETE', '/faults', undefined, stack.origin);
  expect((await report(open)).status).toBe(200);
  await advance(stack.origin, hour);
  await idle(stack.origin);
  expect(await metrics()).toMatchObject({ delivered: 3, opened: 2 });
});

it('searches an address only in campaigns of the period', async () => {
  const [email] = people.map((person) => person.email);
  const stranger = await newTeam({ origin: stack.origin });
  const callsOf = async (owner: Team, filter: string) => {
    await control('POST', '/usage', undefined, stack.origin);
    expect((await owner.api('GET', `/events?email=${email}&${filter}`)).status).toBe(200);
    const { body } = await control('DELETE', '/usage', undefined, stack.origin);
    return body.functions['mailwright-dev-events'].calls['dynamodb:Query'];
  };
  // The campaign ended more than 180 days ago, and its last delivery was possible three days later.
  await advance(stack.origin, 72 * hour);
  const fresh = await readyCampaign(team, people);
  expect(await callsOf(team, 'event=queued')).toBe(await callsOf(stranger, 'event=queued'));
  await team.api('POST', `/campaigns/${fresh.campaign}/send`);
  await ended(stack.origin, team, fresh.campaign);
  expect(await types(`email=${email}&event=queued`)).toEqual(['queued']);
  const least = await callsOf(team, 'event=opened');
  expect(least).toBe(await callsOf(stranger, 'event=opened'));
  expect(await callsOf(team, `campaign_id=${campaign}`)).toBe(await callsOf(stranger, `campaign_id=${campaign}`));
  expect(await callsOf(team, 'event=queued')).toBeGreaterThan(least);
});
