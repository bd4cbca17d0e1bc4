import { afterAll, beforeAll } from 'vitest';
import { idle, type Message, messagesOf, readyCampaign, rows } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

export let stack: Stack;
export let team: Team;

beforeAll(async () => {
  stack = await startStack();
  team = await newTeam({ origin: stack.origin });
});
afterAll(() => stack?.stop());

export const advance = (advance_seconds: number) => control('POST', '/clock', { advance_seconds }, stack.origin);

export const data: Team['data'] = (...request) => team.data(...request);

export const read = (campaign: number) => data('GET', `/campaigns/${campaign}`);
export const results = (campaign: number) => data('GET', `/campaigns/${campaign}/report/variants`);
export const sentTo = (campaign: number): Promise<ReadonlyMap<string, Message>> =>
  messagesOf(team, campaign, stack.origin);

export const variants = [
  { label: 'Short', subject: 'Hi {{first_name}}' },
  { label: 'Long', subject: 'A long subject for {{first_name}}', from_name: 'Somebody else' },
  { label: 'None', subject: 'Third' },
];

/** Sends a campaign with an A/B test to `count` contacts and waits until its test slice is sent. */
export async function sendTest(
  count: number,
  options: { percentage?: number; metric?: string; variants?: object[] } = {},
) {
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

/** Opens or clicks messages, as mail clients do. */
export async function react(messages: readonly Message[], kind: 'open' | 'click'): Promise<void> {
  await advance(5);
  for (const { html } of messages) {
    const url = new RegExp(`https?://[^"\\s]*/_local/ses/${kind}/[^"\\s]*`).exec(html)![0].replaceAll('&amp;', '&');
    await fetch(url, { redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0 (Macintosh) Mail/1' } });
  }
  await idle(stack.origin);
}

export async function decided(campaign: number) {
  await advance(62 * 60);
  await idle(stack.origin);
  return read(campaign);
}

export const ofVariant = (messages: ReadonlyMap<string, Message>, id: number) =>
  [...messages.values()].filter(({ tags }) => tags.variant === String(id));

export interface Counts {
  opened: number;
  clicked: number;
}
