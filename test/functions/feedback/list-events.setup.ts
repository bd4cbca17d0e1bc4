import { beforeAll, expect } from 'vitest';
import { everyRow, finished, readyCampaign } from '../../support/campaign.ts';
import { newTeam, type Team } from '../../support/team.ts';

export interface Event {
  id: number;
  email: string;
  event: string;
  campaign_id: number | null;
  contact_id: number | null;
  is_machine_open: boolean;
  created_at: string;
}

export const people = ['ann', 'bob', 'cleo'].map((name) => ({ email: `${name}@example.com` }));
export const stranger = 'stranger@example.com';

export let team: Team;
export let campaigns: number[];
export let contacts: number[];
export let all: Event[];

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
