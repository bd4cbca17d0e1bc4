import { expect } from 'vitest';
import { call, type Team } from './team.ts';

const html =
  '<p>Hello {{first_name | default: "there"}}, <a href="https://example.com/news">news</a>.</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>';

/** `count` rows of contacts, addresses in no particular order. */
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
  content: { subject?: string; html?: string; from_name?: string } = {},
): Promise<{ list: number; campaign: number }> {
  const list = await ok(team.api('POST', '/lists', { name: 'Audience' }));
  for (let start = 0; start < contacts.length; start += 1_000) {
    const chunk = contacts.slice(start, start + 1_000);
    expect((await team.api('POST', '/contacts/bulk', { contacts: chunk, list_ids: [list.id] })).status).toBe(200);
  }
  const campaign = await ok(
    team.api('POST', '/campaigns', {
      name: 'Campaign',
      subject: content.subject ?? 'Hello {{first_name}}',
      from_name: content.from_name ?? 'Sender',
      from_email: `news@${team.domain}`,
      contact_list_id: list.id,
    }),
  );
  await ok(team.api('PUT', `/campaigns/${campaign.id}/content`, { html_content: content.html ?? html }));
  return { list: list.id, campaign: campaign.id };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
async function ok(answer: ReturnType<Team['api']>): Promise<any> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
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

/** Waits until a local stack has nothing left to do. */
export async function idle(origin: string): Promise<void> {
  const { status, body } = await call(`${origin}/_local/idle?timeout_ms=60000`);
  if (status !== 200) throw new Error(`not idle: ${JSON.stringify(body)}`);
}

/** Waits, moving the stack's clock where only time is missing, until a campaign has ended; returns it. */
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

/** Addresses of the accepted messages of a team's campaign, sorted. */
export async function acceptedAddresses(origin: string, team: Team, campaign: number): Promise<string[]> {
  const { body } = await call(`${origin}/_local/messages?campaign_id=${campaign}`);
  const own = (body.data as { to: string; tags: Record<string, string> }[]).filter(
    ({ tags }) => tags.team === String(team.id),
  );
  return own.map(({ to }) => to).sort();
}
