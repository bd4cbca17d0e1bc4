import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { eventTypes } from '../../../shared/domain/events/delivery-event.ts';
import { everyRow, finished, readyCampaign } from '../../support/campaign.ts';
import { bothWays } from '../../support/paging.ts';
import { newTeam, type Team } from '../../support/team.ts';

interface Event {
  id: number;
  email: string;
  event: string;
  campaign_id: number | null;
  contact_id: number | null;
  is_machine_open: boolean;
  created_at: string;
}

const people = ['ann', 'bob', 'cleo'].map((name) => ({ email: `${name}@example.com` }));
const stranger = 'stranger@example.com';

let team: Team;
let campaigns: number[];
let contacts: number[];
let all: Event[];

beforeAll(async () => {
  team = await newTeam();
  campaigns = [];
  for (let time = 0; time < 2; time++) {
    const { campaign } = await readyCampaign(team, people);
    await team.api('POST', `/campaigns/${campaign}/send`);
    await finished(team, campaign);
    campaigns.push(campaign);
  }
  contacts = await Promise.all(people.map(async ({ email }) => (await team.data('GET', `/contacts/${email}`)).id));
  const begin = Date.now() - 100 * 86_400_000;
  const reported = Array.from({ length: 60 }, (_, index) => ({
    email: [...people.map(({ email }) => email), stranger][index % 4],
    // No event that would suppress the effect of the others.
    event: ['delivered', 'deferred', 'dropped', 'opened', 'clicked', 'queued', 'sent'][index % 7],
    campaign_id: [campaigns[0], campaigns[1], null][index % 3],
    // Several at the same time, on days with others between them.
    metadata: {
      occurred_at: new Date(begin + Math.floor(index / 3) * 36 * 3_600_000).toISOString(),
      provider_event_id: `e-${index}`,
      bot: index % 5 === 0,
    },
  }));
  expect((await team.api('POST', '/events', { events: reported })).status).toBe(200);
  all = await everyRow(team, '/events?include_machine_opens=true');
});

it('lists native events, those of the provider and those that were reported, in one order', () => {
  expect(all).toHaveLength(60 + 2 * people.length * 3);
  expect(all.some(({ is_machine_open }) => is_machine_open)).toBe(true);
  const position = ({ created_at, id }: Event) => `${created_at}#${String(id).padStart(16, '0')}`;
  const positions = all.map(position);
  expect(positions).toEqual([...positions].sort().reverse());
});

it('lists exactly the events that match any combination of filters, page by page and back', async () => {
  const moments = [...new Set(all.map(({ created_at }) => created_at))];
  const maybe = <T>(given: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: given });
  const filters = fc.record({
    event: maybe(fc.constantFrom(...eventTypes)),
    email: maybe(fc.constantFrom(...people.map(({ email }) => email), stranger, 'nobody@example.com')),
    campaign_id: maybe(fc.constantFrom(...campaigns, 999_999)),
    contact_id: maybe(fc.constantFrom(...contacts, 999_999)),
    since: maybe(fc.constantFrom(...moments)),
    until: maybe(fc.constantFrom(...moments)),
    include_machine_opens: maybe(fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 3, max: 40 }), async (filter, size) => {
      const given = Object.entries(filter).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
      const { event, email, campaign_id, contact_id, since, until, include_machine_opens } = filter;
      const wanted = all.filter(
        (row) =>
          (event ?? row.event) === row.event &&
          (email ?? row.email) === row.email &&
          (campaign_id === undefined || campaign_id === row.campaign_id) &&
          (contact_id === undefined || contact_id === row.contact_id) &&
          (since === undefined || row.created_at >= since) &&
          (until === undefined || row.created_at <= until) &&
          (include_machine_opens || !row.is_machine_open),
      );
      expect(await bothWays(team, `/events?${query}`, size)).toEqual(wanted);
    }),
    { seed: 20261121, numRuns: 40 },
  );
});
