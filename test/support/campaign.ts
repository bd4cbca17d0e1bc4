import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject } from 'vitest';
import { call, type Team } from './team.ts';

const html =
  '<p>Hello {{first_name | default: "there"}}, <a href="https://example.com/news">news</a>.</p>' +
  '<p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>';

/** `count` rows of contacts with unsorted addresses. */
export function rows(count: number, domain = 'example.com') {
  return Array.from({ length: count }, (_, index) => ({
    email: `${((index * 7919) % 100_003).toString(36)}-${index}@${domain}`,
    first_name: `Name ${index}`,
  }));
}

/** Makes a list of contacts and a campaign to it that passes every gate; returns their ids. */
export async function readyCampaign(
  team: Team,
  contacts: readonly { email: string }[],
  content: { html?: string | null; text?: string } & Record<string, unknown> = {},
): Promise<{ list: number; campaign: number }> {
  const list = await team.data('POST', '/lists', { name: 'Audience' });
  for (let start = 0; start < contacts.length; start += 1_000) {
    const chunk = contacts.slice(start, start + 1_000);
    await team.data('POST', '/contacts/bulk', { contacts: chunk, list_ids: [list.id] });
  }
  const { html: html_content = html, text: plain_content, ...fields } = content;
  const campaign = await team.data('POST', '/campaigns', {
    name: 'Campaign',
    subject: 'Hello {{first_name}}',
    from_name: 'Sender',
    from_email: `news@${team.domain}`,
    contact_list_id: list.id,
    ...fields,
  });
  await team.data('PUT', `/campaigns/${campaign.id}/content`, { html_content, plain_content });
  return { list: list.id, campaign: campaign.id };
}

/** Every row of a listing, page by page. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
export async function everyRow(team: Team, path: string): Promise<any[]> {
  const found = [];
  let cursor = '';
  for (;;) {
    const { status, body } = await team.api('GET', `${path}${path.includes('?') ? '&' : '?'}per_page=100${cursor}`);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    found.push(...body.data);
    if (!body.has_more) return found;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

/** For what hangs: a busy machine takes many times as long as a quiet one. */
const patienceMs = 240_000;

/**
 * Waits until a local stack has nothing left to do in the next seconds, for a team where one is given: other tests may
 * go on. What is due is not waited for: the clock moves.
 */
export async function idle(origin: string, team?: { id: number }): Promise<void> {
  const of = team ? `&team=${team.id}` : '';
  const { status, body } = await call(`${origin}/_local/idle?advance=true&timeout_ms=${patienceMs}${of}`);
  if (status !== 200) throw new Error(`not idle: ${JSON.stringify(body)}`);
}

/** Waits until a campaign has ended, moving the stack's clock as needed; returns the campaign. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
export async function ended(origin: string, team: Team, campaign: number): Promise<any> {
  for (let round = 0; round < 30; round++) {
    await idle(origin);
    const { body } = await team.api('GET', `/campaigns/${campaign}`);
    if (['sent', 'partial', 'failed', 'cancelled', 'held', 'paused'].includes(body.data.status)) return body.data;
    await call(`${origin}/_local/clock`, 'POST', { advance_seconds: 300 });
  }
  throw new Error("the campaign did not end within hours of the stack's time");
}

/** Waits, without moving the clock, until a campaign has ended and its feedback is applied; returns the campaign. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
export async function finished(team: Team, campaign: number, origin = inject('origin')): Promise<any> {
  // On a busy machine a workflow may be in a pause of more than the 30 seconds that idle looks ahead.
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(200)) {
    await idle(origin, team);
    const { body } = await team.api('GET', `/campaigns/${campaign}`);
    if (!['screening', 'queuing', 'sending'].includes(body.data.status)) return body.data;
  }
  throw new Error('the campaign did not end');
}

/** A captured message, as `/_local/messages` shows it. */
export interface Message {
  message_id: string;
  to: string;
  from: string;
  reply_to: string | null;
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  tags: Record<string, string>;
}

/** The accepted messages of a team's campaign, by address. */
export async function messagesOf(
  team: Team,
  campaign: number,
  origin = inject('origin'),
): Promise<ReadonlyMap<string, Message>> {
  const { body } = await call(`${origin}/_local/messages?campaign_id=${campaign}`);
  const own = (body.data as Message[]).filter(({ tags }) => tags.team === String(team.id));
  const byAddress = new Map(own.map((message) => [message.to, message]));
  expect(byAddress.size).toBe(own.length);
  return byAddress;
}

/** Addresses of the accepted messages of a team's campaign, sorted. */
export async function acceptedAddresses(origin: string, team: Team, campaign: number): Promise<string[]> {
  const { body } = await call(`${origin}/_local/messages?campaign_id=${campaign}`);
  const own = (body.data as { to: string; tags: Record<string, string> }[]).filter(
    ({ tags }) => tags.team === String(team.id),
  );
  return own.map(({ to }) => to).sort();
}
