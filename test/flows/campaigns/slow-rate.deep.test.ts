import { expect, it } from 'vitest';
import { acceptedAddresses, rows } from '../../support/campaign.ts';
import { enrol, newContacts, newSequence, newStep, stepsSent } from '../../support/sequence.ts';
import type { Team } from '../../support/team.ts';
import { advance, campaignTo, send, sendRate, stack, startMetering, team, usage, within } from './slow-rate.setup.ts';

it('puts a page back once at most, in calls no larger than what the account sends in a second', async () => {
  const own = await team();
  const campaign = await campaignTo(own, 300);
  await startMetering();
  await send(own, campaign);
  expect(await within(120, own, campaign, ({ status }) => status === 'sent')).toMatchObject({ sent_count: 300 });
  const { calls, functions } = await usage();
  const pages = 300 / 50;
  expect(calls['ses:SendBulkEmail']).toBe(pages * Math.ceil(50 / sendRate));
  expect(functions['mailwright-dev-send-page']!.calls['sqs:SendMessage'] ?? 0).toBeLessThanOrEqual(pages);
  expect(functions['mailwright-dev-advance-campaign']!.invocations).toBeLessThan(15);
});

it('gives two teams that send at the same time the same share of the rate', async () => {
  const teams = [await team(), await team()];
  const sends = await Promise.all(teams.map(async (own) => ({ own, id: await campaignTo(own, 2_000) })));
  await send(sends[0]!.own, sends[0]!.id);
  await advance(20);
  await send(sends[1]!.own, sends[1]!.id);
  const sentCount = async ({ own, id }: { own: Team; id: number }): Promise<number> =>
    (await own.data('GET', `/campaigns/${id}`)).sent_count;
  // What the first one had queued for itself alone is sent by then.
  await advance(90);
  const before = await Promise.all(sends.map(sentCount));
  await advance(60);
  const after = await Promise.all(sends.map(sentCount));
  const [first, second] = after.map((count, index) => count - before[index]!) as [number, number];
  expect(Math.min(first, second)).toBeGreaterThan((first + second) / 4);
});

it('sends nothing more once it is paused, and the rest once after it is resumed', async () => {
  const own = await team();
  const campaign = await campaignTo(own, 300);
  await send(own, campaign);
  await within(60, own, campaign, ({ sent_count }) => sent_count > 50);
  await own.data('POST', `/campaigns/${campaign}/pause`);
  // A call that had begun ends.
  await advance(5);
  const { sent_count } = await own.data('GET', `/campaigns/${campaign}`);
  expect(sent_count).toBeLessThan(300);
  await advance(60);
  expect(await own.data('GET', `/campaigns/${campaign}`)).toMatchObject({ status: 'paused', sent_count });
  await own.data('POST', `/campaigns/${campaign}/resume`);
  const ended = await within(240, own, campaign, ({ status }) => status === 'sent');
  expect(ended).toMatchObject({ status: 'sent', sent_count: 300 });
  expect(new Set(await acceptedAddresses(stack.origin, own, campaign)).size).toBe(300);
});

it('sends steps of a sequence and single messages while campaigns use the rate', async () => {
  const [own, other] = [await team(), await team()];
  const campaign = await campaignTo(other, 3_000);
  await send(other, campaign);
  await within(60, other, campaign, ({ sent_count }) => sent_count > 50);
  const sequence = await newSequence(own, [newStep('Only')]);
  const people = rows(20).map(({ email }) => email);
  await newContacts(own, people);
  await enrol(own, sequence, people);
  await advance(120);
  expect(await stepsSent(own, sequence, stack.origin)).toHaveLength(20);
  const message = { to: 'ann@example.com', from_email: `me@${own.domain}`, subject: 'Hi', html: '<p>Hi</p>' };
  expect(await own.data('POST', '/send', message)).toMatchObject({ delivered: true });
});
