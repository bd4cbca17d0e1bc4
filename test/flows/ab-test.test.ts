import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyRow, idle, type Message, messagesOf, readyCampaign, rows } from '../support/campaign.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { control, newTeam, type Team } from '../support/team.ts';

let stack: Stack;
let team: Team;

beforeAll(async () => {
  stack = await startStack();
  team = await newTeam({ origin: stack.origin });
});
afterAll(() => stack?.stop());

const advance = (advance_seconds: number) => control('POST', '/clock', { advance_seconds }, stack.origin);

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
async function data(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await team.api(method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

const read = (campaign: number) => data('GET', `/campaigns/${campaign}`);
const results = (campaign: number) => data('GET', `/campaigns/${campaign}/report/variants`);
const sentTo = (campaign: number): Promise<ReadonlyMap<string, Message>> => messagesOf(team, campaign, stack.origin);

const variants = [
  { label: 'Short', subject: 'Hi {{first_name}}' },
  { label: 'Long', subject: 'A long subject for {{first_name}}', from_name: 'Somebody else' },
  { label: 'None', subject: 'Third' },
];

/** Sends a campaign with an A/B test to `count` people and waits until its test slice is out. */
async function sendTest(count: number, options: { percentage?: number; metric?: string; variants?: object[] } = {}) {
  const { campaign } = await readyCampaign(team, rows(count, `c${count}-${Date.now()}.example`), {
    ab_test_percentage: options.percentage ?? 20,
    ab_winner_metric: options.metric ?? 'opens',
    ab_test_delay_minutes: 60,
  });
  await data('POST', `/campaigns/${campaign}/variants`, { variants: options.variants ?? variants });
  await data('POST', `/campaigns/${campaign}/send`);
  await idle(stack.origin);
  return campaign;
}

/** Lets people open or click their messages, as their mail readers do. */
async function react(messages: readonly Message[], kind: 'open' | 'click'): Promise<void> {
  await advance(5);
  for (const { html } of messages) {
    const url = new RegExp(`https?://[^"\\s]*/_local/ses/${kind}/[^"\\s]*`).exec(html)![0].replaceAll('&amp;', '&');
    await fetch(url, { redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0 (Macintosh) Mail/1' } });
  }
  await idle(stack.origin);
}

async function decided(campaign: number) {
  await advance(62 * 60);
  await idle(stack.origin);
  return read(campaign);
}

const ofVariant = (messages: ReadonlyMap<string, Message>, id: number) =>
  [...messages.values()].filter(({ tags }) => tags.variant === String(id));

describe('an A/B test', () => {
  it('sends the slice evenly, waits, and sends everybody else what most people opened, each exactly once', async () => {
    const campaign = await sendTest(500);
    const slice = await sentTo(campaign);
    expect(slice.size).toBe(100);
    expect([1, 2, 3].map((id) => ofVariant(slice, id).length)).toEqual([34, 33, 33]);
    for (const { tags, subject, from } of slice.values()) {
      const number = /Name \d+/;
      const subjects = [/^Hi Name \d+$/, /^A long subject for Name \d+$/, /^Third$/];
      expect(subject).toMatch(subjects[Number(tags.variant) - 1]!);
      expect(from.startsWith(tags.variant === '2' ? 'Somebody else' : 'Sender')).toBe(true);
      expect(number.test('Name 1')).toBe(true);
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
    // Who opens after the decision counts in the report.
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
