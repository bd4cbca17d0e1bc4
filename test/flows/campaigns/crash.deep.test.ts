import { expect, it } from 'vitest';
import { ended, idle } from '../../support/campaign.ts';
import { call } from '../../support/team.ts';
import { begin, expectTrue, killDuring, kills, read, restart, stack, team } from './crash.setup.ts';

const advance = (advance_seconds: number) => call(`${stack.origin}/_local/clock`, 'POST', { advance_seconds });

it('loses and repeats nothing in both phases of an A/B test, whose results match the messages', async () => {
  const { campaign, emails } = await begin({ ab_test_percentage: 50, ab_test_delay_minutes: 30 });
  const variants = ['A', 'B', 'C'].map((label) => ({ label, subject: label }));
  expect((await team.api('POST', `/campaigns/${campaign}/variants`, { variants })).status).toBe(200);
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  for (let kill = 0; kill < kills / 2; kill++) await killDuring(campaign, 1 / kills);
  for (let round = 0; (await read(campaign)).ab_test.winner_variant_id === null; round++) {
    expect(round).toBeLessThan(100);
    await idle(stack.origin);
    await advance(300);
  }
  for (let kill = 0; kill < kills / 2; kill++) await killDuring(campaign, 1 / kills);
  await ended(stack.origin, team, campaign);
  await expectTrue(campaign, emails);
  const { body } = await call(`${stack.origin}/_local/messages?campaign_id=${campaign}`);
  const own = (body.data as { tags: Record<string, string>; subject: string }[]).filter(
    ({ tags }) => tags.team === String(team.id),
  );
  for (const { tags, subject } of own) expect(subject).toBe(' ABC'[Number(tags.variant)]);
  const { body: report } = await team.api('GET', `/campaigns/${campaign}/report/variants`);
  const sent = (id: number) => own.filter(({ tags }) => tags.variant === String(id)).length;
  expect(report.data.map((variant: { sent: number }) => variant.sent)).toEqual([1, 2, 3].map(sent));
}, 360_000);

it('loses and repeats nothing while the campaign is paused and resumed', async () => {
  const { campaign, emails } = await begin();
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  for (let kill = 0; kill < kills; kill++) {
    await killDuring(campaign, 1 / kills);
    for (let round = 0; round < 3; round++) {
      await team.api('POST', `/campaigns/${campaign}/pause`);
      await team.api('POST', `/campaigns/${campaign}/resume`);
    }
  }
  await ended(stack.origin, team, campaign);
  await expectTrue(campaign, emails);
}, 240_000);

it('repeats nothing when the campaign is cancelled halfway', async () => {
  const { campaign, emails } = await begin();
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  while (!['sending', 'sent', 'partial'].includes((await read(campaign)).status));
  await killDuring(campaign, 0.3);
  await team.api('POST', `/campaigns/${campaign}/pause`);
  const cancelled = await team.api('POST', `/campaigns/${campaign}/cancel`);
  await restart();
  await idle(stack.origin);
  for (let round = 0; round < 4; round++) {
    await advance(300);
    await idle(stack.origin);
  }
  const { status } = await ended(stack.origin, team, campaign);
  if (cancelled.status === 200) expect(status).toBe('cancelled');
  await expectTrue(campaign, emails);
}, 240_000);
