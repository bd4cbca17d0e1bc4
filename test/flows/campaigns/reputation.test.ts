import { describe, expect, it } from 'vitest';
import { ended, idle, readyCampaign, rows } from '../../support/campaign.ts';
import type { Team } from '../../support/team.ts';
import { advance, read, simulated, stack, team } from './reputation.setup.ts';

async function sendTo(own: Team, people: readonly { email: string }[]): Promise<number> {
  const { campaign } = await readyCampaign(own, people);
  await own.data('POST', `/campaigns/${campaign}/send`);
  await ended(stack.origin, own, campaign);
  return campaign;
}

describe('a running send', () => {
  it('of an A/B test pauses before the rest is sent', async () => {
    const own = await team();
    const { campaign } = await readyCampaign(own, [...simulated('bounce', 200), ...rows(799, 'half.example')], {
      ab_test_percentage: 60,
      ab_test_delay_minutes: 10,
    });
    const variants = ['A', 'B'].map((label) => ({ label, subject: label }));
    await own.data('POST', `/campaigns/${campaign}/variants`, { variants });
    await own.data('POST', `/campaigns/${campaign}/send`);
    await idle(stack.origin);
    const { bounced } = (await own.data('GET', `/campaigns/${campaign}/report`)).metrics;
    await advance(720);
    await idle(stack.origin);
    expect(await read(own, campaign)).toMatchObject({
      status: 'paused',
      sent_count: 600,
      failure_reason: `paused to protect your reputation: ${bounced} of 600 accepted messages bounced; the limit is 10%`,
    });
  }, 180_000);
});

describe("a team's last seven days", () => {
  it.each([
    ['bounces', simulated('bounce', 12)],
    ['complaints', simulated('complaint', 5)],
  ])('of too many %s block its next send, deleted or not, until they have passed', async (_name, bad) => {
    const own = await team();
    const first = await sendTo(own, [...rows(100, 'week.example'), ...bad]);
    await idle(stack.origin);
    const { campaign } = await readyCampaign(own, rows(2, 'next.example'));
    const blockers = async () => (await own.data('POST', `/campaigns/${campaign}/preflight`)).blockers;
    expect(await blockers()).toEqual(['abuse_screening_failed']);
    const refused = await own.api('POST', `/campaigns/${campaign}/send`);
    expect([refused.status, refused.body.blockers]).toEqual([422, ['abuse_screening_failed']]);
    await own.data('DELETE', `/campaigns/${first}`);
    expect(await blockers()).toEqual(['abuse_screening_failed']);
    await advance(7 * 86_400);
    expect(await blockers()).toEqual([]);
  });

  it('of few sends block nothing', async () => {
    const own = await team();
    await sendTo(own, [...rows(80, 'few.example'), ...simulated('bounce', 19)]);
    const { campaign } = await readyCampaign(own, rows(2, 'next.example'));
    expect((await own.data('POST', `/campaigns/${campaign}/preflight`)).blockers).toEqual([]);
  });
});
