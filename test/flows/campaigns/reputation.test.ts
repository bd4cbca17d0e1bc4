import { describe, expect, it } from 'vitest';
import { idle, readyCampaign, rows } from '../../support/campaign.ts';
import { advance, sendTo, simulated, stack, team } from './reputation.setup.ts';

describe("a team's last seven days", () => {
  it.each([
    ['bounces', simulated('bounce', 12)],
    ['complaints', simulated('complaint', 5)],
  ])('with too many %s block its next send, deleted or not, until they have passed', async (_name, bad) => {
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
});
