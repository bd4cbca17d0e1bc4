import { describe, expect, it } from 'vitest';
import { everyRow, idle, readyCampaign, rows } from '../../support/campaign.ts';
import {
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

describe('an A/B test', () => {
  it('sends the slice evenly, waits, and sends the winner to the rest, each recipient once', async () => {
    const campaign = await sendTest(500);
    const slice = await sentTo(campaign);
    expect(slice.size).toBe(100);
    expect([1, 2, 3].map((id) => ofVariant(slice, id).length)).toEqual([34, 33, 33]);
    for (const { tags, subject, from } of slice.values()) {
      const subjects = [/^Hi Name \d+$/, /^A long subject for Name \d+$/, /^Third$/];
      expect(subject).toMatch(subjects[Number(tags.variant) - 1]!);
      expect(from.startsWith(tags.variant === '2' ? 'Somebody else' : 'Sender')).toBe(true);
    }
    expect(await read(campaign)).toMatchObject({ status: 'sending', total_recipients: 500, sent_count: 100 });
    await react(ofVariant(slice, 2).slice(0, 5), 'open');
    await react(ofVariant(slice, 1).slice(0, 4), 'open');
    expect((await sentTo(campaign)).size).toBe(100);
    const done = await decided(campaign);
    expect(done).toMatchObject({ status: 'sent', sent_count: 500, failed_count: 0, failure_reason: null });
    expect(done.ab_test.winner_variant_id).toBe(2);
    const all = await sentTo(campaign);
    expect(all.size).toBe(500);
    const rest = [...all.values()].filter(({ to }) => !slice.has(to));
    expect(rest.every(({ tags, subject }) => tags.variant === '2' && /^A long/.test(subject))).toBe(true);
    for (const [address, { message_id }] of slice) expect(all.get(address)!.message_id).toBe(message_id);
    // An open after the decision counts in the report.
    await react(rest.slice(0, 3), 'open');
    expect(await results(campaign)).toEqual([
      {
        id: 1,
        ...variants[0],
        from_name: null,
        is_winner: false,
        sent: 34,
        opened: 4,
        clicked: 0,
        open_rate: 11.76,
        click_rate: 0,
      },
      { id: 2, ...variants[1], is_winner: true, sent: 433, opened: 8, clicked: 0, open_rate: 1.85, click_rate: 0 },
      {
        id: 3,
        ...variants[2],
        from_name: null,
        is_winner: false,
        sent: 33,
        opened: 0,
        clicked: 0,
        open_rate: 0,
        click_rate: 0,
      },
    ]);
    const { metrics } = await data('GET', `/campaigns/${campaign}/report`);
    expect(metrics).toMatchObject({ recipients: 500, sent: 500, delivered: 500, opened: 12 });
    const listed = await everyRow(team, `/campaigns/${campaign}/recipients`);
    expect(listed).toHaveLength(500);
    const [first, second] = [...new Set(listed.map(({ sent_at }) => sent_at.slice(0, 13)))].sort();
    for (const { email, sent_at } of listed) expect(sent_at.slice(0, 13)).toBe(slice.has(email) ? first : second);
    const events = await everyRow(team, `/events?campaign_id=${campaign}&event=sent`);
    expect(events.map(({ email }) => email).sort()).toEqual(listed.map(({ email }) => email).sort());
  });
});

describe('a test that is interrupted', () => {
  const pause = (campaign: number) => data('POST', `/campaigns/${campaign}/pause`);

  it('never sends the rest once it is cancelled', async () => {
    const campaign = await sendTest(100);
    expect((await team.api('POST', `/campaigns/${campaign}/cancel`)).status).toBe(422);
    await pause(campaign);
    expect(await data('POST', `/campaigns/${campaign}/cancel`)).toMatchObject({ status: 'cancelled', sent_count: 20 });
    expect(await decided(campaign)).toMatchObject({ status: 'cancelled', ab_test: { winner_variant_id: null } });
    const listed = await everyRow(team, `/campaigns/${campaign}/recipients`);
    expect(listed.filter(({ status }) => status === 'cancelled')).toHaveLength(80);
    expect((await sentTo(campaign)).size).toBe(20);
  });

  it('is an ordinary campaign once it is switched off', async () => {
    const { campaign } = await readyCampaign(team, rows(30, 'off.example'));
    await data('POST', `/campaigns/${campaign}/variants`, { variants });
    await data('PATCH', `/campaigns/${campaign}`, { name: 'News', ab_test_enabled: false });
    await data('POST', `/campaigns/${campaign}/send`);
    await idle(stack.origin);
    expect(await read(campaign)).toMatchObject({ status: 'sent', sent_count: 30 });
    expect([...(await sentTo(campaign)).values()].every(({ tags }) => tags.variant === undefined)).toBe(true);
    expect((await results(campaign)).map(({ sent }: { sent: number }) => sent)).toEqual([0, 0, 0]);
  });
});
