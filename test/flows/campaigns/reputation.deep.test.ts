import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { idle, readyCampaign, rows } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { enrol, newContacts, newSequence, newStep, subscribersOf } from '../../support/sequence.ts';
import { control, type Team } from '../../support/team.ts';
import { advance, folder, sendTo, simulated, stack, team } from './reputation.setup.ts';

const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);
const heal = () => control('DELETE', '/faults', undefined, stack.origin);
const throttled = { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException' };
const read = (own: Team, campaign: number) => own.data('GET', `/campaigns/${campaign}`);
const paused = 'paused to protect your reputation';

/** Waits for a campaign's state, even while the stack is busy. */
async function until(own: Team, campaign: number, ...statuses: string[]) {
  for (;;) {
    const found = await read(own, campaign);
    if (statuses.includes(found.status)) return found;
    await sleep(10);
  }
}

/** A campaign that was paused by hand after a part was sent; that part bounced. */
async function pausedInTheMiddle(): Promise<{ own: Team; campaign: number }> {
  const people = [
    ...simulated('bounce', 200),
    ...rows(1_300, 'w.example').map(({ email }) => ({ email: `n-${email}` })),
  ];
  for (;;) {
    const own = await team();
    const { campaign } = await readyCampaign(own, people);
    await own.data('POST', `/campaigns/${campaign}/send`);
    while ((await until(own, campaign, 'sending', 'sent')).sent_count < 250);
    const { status } = await own.api('POST', `/campaigns/${campaign}/pause`);
    await idle(stack.origin);
    if (status === 200) return { own, campaign };
  }
}

describe('a running send', () => {
  it('pauses itself when its first messages bounce, with the reason, and continues when it is resumed', async () => {
    const { own, campaign } = await pausedInTheMiddle();
    const { sent_count } = await read(own, campaign);
    const { bounced } = (await own.data('GET', `/campaigns/${campaign}/report`)).metrics;
    await inject(throttled);
    await own.data('POST', `/campaigns/${campaign}/resume`);
    await idle(stack.origin);
    expect(await read(own, campaign)).toMatchObject({
      status: 'paused',
      sent_count,
      failure_reason: `${paused}: ${bounced} of ${sent_count} accepted messages bounced; the limit is 10%`,
    });
    await heal();
    await advance(3_600);
    expect(await read(own, campaign)).toMatchObject({ status: 'paused' });
    await own.data('POST', `/campaigns/${campaign}/resume`);
    expect(await until(own, campaign, 'sent', 'paused')).toMatchObject({ status: 'sent', sent_count: 1_500 });
  }, 600_000);

  it('of an A/B test pauses before the rest is sent', async () => {
    const own = await team();
    // A fifth of the addresses between any two bounces: the test gets whole pages of neighbours.
    const bounces = simulated('bounce', 200);
    const others = Array.from({ length: 799 }, (_, at) => ({
      email: `${bounces[at % 200]!.email.split('@')[0]}-${at}@half.example`,
    }));
    const { campaign } = await readyCampaign(own, [...bounces, ...others], {
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
      failure_reason: `${paused}: ${bounced} of 600 accepted messages bounced; the limit is 10%`,
    });
  }, 600_000);
});

it("an audience over 10,000 and ten times the team's largest send is reviewed by an operator once", async () => {
  const own = await team();
  const { campaign, list } = await readyCampaign(own, rows(10_001, 'large.example'));
  await own.data('POST', `/campaigns/${campaign}/send`);
  expect(await until(own, campaign, 'held', 'sending')).toMatchObject({
    status: 'held',
    failure_reason: 'held for review: an audience of more than 10000, where the largest earlier send had 0',
  });
  const filtered = await readyCampaign(own, [], { contact_list_id: list, audience_filters: { search: 'Name 99' } });
  await own.data('POST', `/campaigns/${filtered.campaign}/send`);
  expect(await until(own, filtered.campaign, 'held', 'sent')).toMatchObject({ status: 'sent', total_recipients: 111 });
  await operate(folder, 'campaign release', { team_id: own.id, campaign_id: campaign });
  expect(await until(own, campaign, 'sent', 'partial')).toMatchObject({ status: 'sent', sent_count: 10_001 });
  const again = await readyCampaign(own, [], { contact_list_id: list });
  await own.data('POST', `/campaigns/${again.campaign}/send`);
  expect(await until(own, again.campaign, 'held', 'sending', 'sent')).not.toMatchObject({ status: 'held' });
  await own.api('POST', `/campaigns/${again.campaign}/pause`);
}, 600_000);

describe("a team's last seven days", () => {
  it('with few messages block nothing', async () => {
    const own = await team();
    await sendTo(own, [...rows(80, 'few.example'), ...simulated('bounce', 19)]);
    const { campaign } = await readyCampaign(own, rows(2, 'next.example'));
    expect((await own.data('POST', `/campaigns/${campaign}/preflight`)).blockers).toEqual([]);
  });
});

it('complaints about single messages, tests and steps bar a team from every way out for a week', async () => {
  const own = await team();
  await sendTo(own, rows(100, 'good.example'));
  const [one, two, tested, first, later] = simulated('complaint', 4)
    .map(({ email }) => email)
    .concat('later@good.example');
  const direct = (to = 'somebody@good.example') =>
    own.api('POST', '/send', { to, from_email: `me@${own.domain}`, subject: 'Hello', html: '<p>Hello</p>' });
  const { campaign } = await readyCampaign(own, rows(2, 'next.example'));
  const test = (email: string) => own.api('POST', `/campaigns/${campaign}/test`, { emails: [email] });
  const sequence = await newSequence(own, [newStep('Step')]);
  await newContacts(own, [first!, later!]);
  const blockers = async () => (await own.data('POST', `/campaigns/${campaign}/preflight`)).blockers;
  // The limit is five complaints; the four kinds of messages have one or two each.
  for (const to of [one!, two!]) expect((await direct(to)).status).toBe(200);
  expect((await test(tested!)).status).toBe(200);
  expect((await direct()).status).toBe(200);
  await enrol(own, sequence, [first!]);
  await idle(stack.origin);
  expect(await blockers()).toEqual([]);
  expect((await direct('complaint+last@simulator.amazonses.com')).status).toBe(200);
  await idle(stack.origin);

  expect(await blockers()).toEqual(['abuse_screening_failed']);
  const other = await newSequence(own, [newStep('Other')], { status: 'draft' });
  const refused = await Promise.all([
    own.api('POST', `/campaigns/${campaign}/send`),
    direct(),
    test('somebody@good.example'),
    own.api('PATCH', `/sequences/${other}`, { status: 'active' }),
  ]);
  for (const { status, body } of refused) expect([status, body.blockers]).toEqual([422, ['abuse_screening_failed']]);
  await enrol(own, sequence, [later!]);
  await idle(stack.origin);
  expect((await subscribersOf(own, sequence)).get(later)).toMatchObject({ status: 'active', current_step: 1 });

  await advance(7 * 86_400);
  await idle(stack.origin);
  // A step that is blocked is looked at again after a quarter of an hour.
  await advance(16 * 60);
  await idle(stack.origin);
  expect((await subscribersOf(own, sequence)).get(later)).toMatchObject({ status: 'completed' });
  expect(await blockers()).toEqual([]);
  expect((await direct()).status).toBe(200);
});
