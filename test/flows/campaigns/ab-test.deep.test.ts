import { describe, expect, it } from 'vitest';
import { everyRow, idle, readyCampaign, rows } from '../../support/campaign.ts';
import { control } from '../../support/team.ts';
import {
  advance,
  type Counts,
  data,
  decided,
  ofVariant,
  react,
  read,
  results,
  sendTest,
  sentTo,
  stack,
  team,
  variants,
} from './ab-test.setup.ts';

describe('the decision', () => {
  it('uses counts that are rebuilt after the table lost answers', async () => {
    const campaign = await sendTest(60, { percentage: 100 });
    const slice = await sentTo(campaign);
    const fault = { service: 'dynamodb', operation: 'UpdateItem', error: 'lost_response', rate: 0.4 };
    await control('POST', '/faults', fault, stack.origin);
    await react([...ofVariant(slice, 2), ...ofVariant(slice, 3).slice(0, 4)], 'open');
    await control('DELETE', '/faults', undefined, stack.origin);
    await advance(20 * 60);
    await idle(stack.origin);
    expect((await results(campaign)).map(({ opened }: Counts) => opened)).toEqual([0, 20, 4]);
    const done = await decided(campaign);
    expect(done.ab_test.winner_variant_id).toBe(2);
    expect((await results(campaign)).map(({ opened }: Counts) => opened)).toEqual([0, 20, 4]);
  });
});

describe('a test of the whole audience', () => {
  it.each([
    ['100% of it', 12, 100],
    ['fewer people than variants', 2, 20],
    ['one person', 1, 1],
  ])('%s: waits, decides and ends, and no recipient gets a second message', async (_name, count, percentage) => {
    const campaign = await sendTest(count, { percentage });
    expect((await sentTo(campaign)).size).toBe(count);
    expect(await read(campaign)).toMatchObject({ status: 'sending', sent_count: count });
    expect(await decided(campaign)).toMatchObject({
      status: 'sent',
      sent_count: count,
      ab_test: { winner_variant_id: 1 },
    });
    expect((await sentTo(campaign)).size).toBe(count);
  });
});

describe('a recipient whose message the provider refused', () => {
  it('is listed with the error, in the test and in the rest of the same page', async () => {
    const rejected = { service: 'ses', operation: 'SendBulkEmail', error: 'MessageRejected', count: 1 };
    await control('POST', '/faults', rejected, stack.origin);
    const campaign = await sendTest(30);
    expect(await read(campaign)).toMatchObject({ sent_count: 4, failed_count: 2 });
    await control('POST', '/faults', rejected, stack.origin);
    expect(await decided(campaign)).toMatchObject({ status: 'partial', sent_count: 4, failed_count: 26 });
    const listed = await everyRow(team, `/campaigns/${campaign}/recipients`);
    for (const { status, error_message } of listed)
      expect(error_message).toEqual(status === 'failed' ? expect.any(String) : null);
  });
});

describe('the decision', () => {
  it('is for the first variant when only machines opened', async () => {
    const campaign = await sendTest(30);
    const slice = await sentTo(campaign);
    await advance(5);
    for (const { html } of ofVariant(slice, 2)) {
      const url = /https?:\/\/[^"\s]*\/_local\/ses\/open\/[^"\s]*/.exec(html)![0];
      await fetch(url, { headers: { 'user-agent': 'GoogleImageProxy' } });
    }
    await idle(stack.origin);
    expect((await decided(campaign)).ab_test.winner_variant_id).toBe(1);
  });

  it("counts a client's events for the variant that the recipient was sent", async () => {
    const campaign = await sendTest(40, { percentage: 50 });
    const slice = await sentTo(campaign);
    const report = (email: string, event: string) => ({ email, event, campaign_id: campaign, provider: 'other' });
    const third = ofVariant(slice, 3).map(({ to }) => report(to, 'opened'));
    // An open within two seconds of its delivery counts as a machine's.
    await advance(5);
    await team.api('POST', '/events', { events: third });
    await team.api('POST', '/events', { events: third });
    expect((await decided(campaign)).ab_test.winner_variant_id).toBe(3);
    const others = [...(await sentTo(campaign)).keys()].filter((email) => !slice.has(email));
    await team.api('POST', '/events', { events: others.map((email) => report(email, 'clicked')) });
    expect((await results(campaign)).map(({ opened, clicked }: Counts) => [opened, clicked])).toEqual([
      [0, 0],
      [0, 0],
      [third.length, others.length],
    ]);
  });
});

describe('the decision', () => {
  it('is by clicks if configured, and in a tie for the first variant', async () => {
    const campaign = await sendTest(60, { metric: 'clicks', percentage: 50 });
    const slice = await sentTo(campaign);
    await react(ofVariant(slice, 1).slice(0, 3), 'open');
    await react(ofVariant(slice, 3).slice(0, 2), 'click');
    await react(ofVariant(slice, 2).slice(0, 2), 'click');
    expect((await decided(campaign)).ab_test.winner_variant_id).toBe(2);
    expect((await sentTo(campaign)).size).toBe(60);
  });
});

describe('a test that is interrupted', () => {
  const pause = (campaign: number) => data('POST', `/campaigns/${campaign}/pause`);
  const resume = (campaign: number) => data('POST', `/campaigns/${campaign}/resume`);

  it('continues where it was: paused in its slice, while it waits, at its decision, and in the rest', async () => {
    const throttled = { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', rate: 0.5 };
    await control('POST', '/faults', throttled, stack.origin);
    const { campaign } = await readyCampaign(team, rows(400, 'paused.example'), { ab_test_delay_minutes: 60 });
    await data('POST', `/campaigns/${campaign}/variants`, { variants });
    await data('POST', `/campaigns/${campaign}/send`);
    while ((await read(campaign)).status !== 'sending');
    await pause(campaign);
    await control('DELETE', '/faults', undefined, stack.origin);
    await resume(campaign);
    await idle(stack.origin);
    const slice = await sentTo(campaign);
    expect(slice.size).toBe(80);
    // While it waits.
    await pause(campaign);
    await resume(campaign);
    await advance(600);
    await idle(stack.origin);
    expect((await sentTo(campaign)).size).toBe(80);
    // At the decision.
    await pause(campaign);
    await advance(4_000);
    await idle(stack.origin);
    expect(await read(campaign)).toMatchObject({ status: 'paused', sent_count: 80 });
    await control('POST', '/faults', throttled, stack.origin);
    await resume(campaign);
    for (;;) if ((await read(campaign)).ab_test.winner_variant_id !== null) break;
    await pause(campaign).catch(() => undefined);
    await control('DELETE', '/faults', undefined, stack.origin);
    await idle(stack.origin);
    await resume(campaign).catch(() => undefined);
    await idle(stack.origin);
    expect(await decided(campaign)).toMatchObject({ status: 'sent', sent_count: 400 });
    const all = await sentTo(campaign);
    expect(all.size).toBe(400);
    expect((await results(campaign)).map(({ sent }: { sent: number }) => sent)).toEqual([347, 27, 26]);
  });
});
