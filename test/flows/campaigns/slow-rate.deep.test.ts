import { expect, it } from 'vitest';
import { advance, campaignsTo, campaignTo, sendRate, startMetering, team, usage, within } from './slow-rate.setup.ts';

it('sends a campaign of one page within a minute, behind a hundred large ones of another team', async () => {
  const large = await team();
  const campaigns = await campaignsTo(large, 200, 100);
  const small = await team();
  const page = await campaignTo(small, 50);
  for (const id of campaigns) await large.data('POST', `/campaigns/${id}/send`);
  await within(300, large, campaigns.at(-1)!, ({ status }) => status === 'sending');
  await advance(30);
  await small.data('POST', `/campaigns/${page}/send`);
  expect(await within(60, small, page, ({ status }) => status === 'sent')).toMatchObject({
    status: 'sent',
    sent_count: 50,
  });
}, 900_000);

it('reads and renders a page once and puts none back, in calls no larger than what the account sends in a second', async () => {
  const own = await team();
  const campaign = await campaignTo(own, 300);
  await startMetering();
  await own.data('POST', `/campaigns/${campaign}/send`);
  expect(await within(120, own, campaign, ({ status }) => status === 'sent')).toMatchObject({ sent_count: 300 });
  const { calls, functions } = await usage();
  const pages = 300 / 50;
  expect(calls['ses:SendBulkEmail']).toBe(pages * Math.ceil(50 / sendRate));
  expect(functions['mailwright-dev-send-page']!.calls['sqs:SendMessage'] ?? 0).toBeLessThanOrEqual(pages);
  expect(functions['mailwright-dev-advance-campaign']!.invocations).toBeLessThan(15);
});
