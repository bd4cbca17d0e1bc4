import { describe, expect, it } from 'vitest';
import { idle, readyCampaign, rows } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { newTeam, type Team } from '../../support/team.ts';
import { advance, afterSeconds, data, folder, hence, inject, read, schedule, stack } from './schedule.setup.ts';

describe("the month's allowance", () => {
  const left = async (own: Team, campaign: number): Promise<number> =>
    (await data('POST', `/campaigns/${campaign}/preflight`, undefined, own)).allowance_remaining;
  const plan = (own: Team, name: string) => operate(folder, 'team plan', { team_id: own.id, plan: name });

  /** Concurrent campaigns on the free plan, whose 1,000 emails a month are too few for all. */
  async function startTogether(own: Team, count: number, size: number): Promise<number[]> {
    const { campaign: first, list } = await readyCampaign(own, rows(size, 'many.example'));
    const campaigns = [first];
    while (campaigns.length < count) campaigns.push((await readyCampaign(own, [], { contact_list_id: list })).campaign);
    const at = await hence(300);
    for (const campaign of campaigns) expect((await schedule(campaign, at, own)).status).toBe(200);
    await plan(own, 'free');
    await advance(420);
    await idle(stack.origin);
    await plan(own, 'business');
    return campaigns;
  }

  it('is never exceeded by concurrent sends, and used to the last email that fits', async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const campaigns = await startTogether(own, 9, 180);
    const ends = await Promise.all(campaigns.map((campaign) => read(campaign, own)));
    const outcomes = ends.map(({ status, sent_count, failure_reason }) =>
      [status, sent_count, failure_reason].join(' '),
    );
    expect(outcomes.sort()).toEqual([
      ...Array(4).fill('failed 0 plan_allowance_exceeded'),
      ...Array(5).fill('sent 180 '),
    ]);
    expect(await left(own, campaigns[0]!)).toBe(1_000_000 - 5 * 180);
  });

  it('gets back what was suppressed, refused or never sent, not what may have been accepted', async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const people = rows(120, 'back.example');
    await data('POST', '/suppressions', { email: people[0]!.email, reason: 'manual' }, own);
    const { campaign } = await readyCampaign(own, people);
    await inject({ service: 'ses', operation: 'SendBulkEmail', error: 'InternalServiceErrorException', count: 1 });
    await data('POST', `/campaigns/${campaign}/send`, undefined, own);
    await idle(stack.origin);
    const { sent_count } = await afterSeconds(1_200, campaign, own);
    const listed = (await own.api('GET', `/campaigns/${campaign}/recipients?per_page=100`)).body;
    expect(listed.data.length).toBe(100);
    const unknown = 119 - sent_count;
    expect(unknown).toBeGreaterThan(0);
    expect(await left(own, campaign)).toBe(1_000_000 - 119);
  });
});
