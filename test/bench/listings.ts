import { toItem } from '../../shared/data/contacts/contact-item.ts';
import { deliveredEvents, eventKeys } from '../../shared/data/events/rows.ts';
import { keys } from '../../shared/data/keys.ts';
import type { EventType } from '../../shared/domain/events/delivery-event.ts';
import { nativeId, pageSize, placeIn } from '../../shared/domain/events/place.ts';
import { epochSeconds, timestamp } from '../../shared/domain/time.ts';
import type { Row } from '../support/table.ts';
import type { BenchStack } from './bench-stack.ts';
import { accepted, importTo } from './requests.ts';
import { consumedBy, median, type Result, round, timings } from './results.ts';
import { contactRows, sentPages, writeRows } from './table-rows.ts';

/** Ids beyond those that the API assigns. */
const [firstContact, campaignId] = [3_000_000, 3_000_000];
const constant = 150;

/**
 * What a page of 25 costs, whatever part of `count` rows its filter matches: at most four read units a row shown, and
 * 150 for the request, the partitions that a listing begins with, and what it reads of keys that do not match.
 */
export async function measureListings(stack: BenchStack, count: number): Promise<Result[]> {
  const { id: teamId } = (await accepted(stack.call('GET', '/me'))).team;
  const named = async (path: string, name: string) => (await accepted(stack.call('POST', path, { name }))).id as number;
  const [half, other, few] = [
    await named('/tags', 'Half'),
    await named('/lists', 'Other'),
    await named('/lists', 'Few'),
  ];
  const contacts = contactRows(count, firstContact, (index) => ({
    at: timestamp(Date.now() - index * 1_000),
    status: index % 100 === 98 ? 'unsubscribed' : 'active',
    tag_ids: index % 2 === 0 ? [half] : [],
    list_ids: [...(index % 2 === 1 ? [other] : []), ...(index % 100 === 0 || index % 100 === 98 ? [few] : [])],
  }));
  const lists = contacts.flatMap(({ id, email, list_ids }) =>
    list_ids.map((list) => ({ ...keys.membership(teamId, list, email), id })),
  );
  const tags = contacts.flatMap(({ id, email, tag_ids }) =>
    tag_ids.map((tag) => ({ ...keys.tagging(teamId, tag, email), id })),
  );
  const counted = (key: Row, rows: { pk: string }[], pk: string) => ({
    ...key,
    contacts_count: rows.filter((row) => row.pk === pk).length,
  });
  const record = async (path: string, id: number) => accepted(stack.call('GET', `${path}/${id}`));
  const emails = contacts.map(({ email }) => email).sort();
  await writeRows(stack, [
    ...contacts.map((contact) => toItem(teamId, contact)),
    ...lists,
    ...tags,
    counted({ ...(await tagOf()), ...keys.tag(teamId, half) }, tags, keys.tagging(teamId, half, '').pk),
    counted(
      { ...(await record('/lists', other)), ...keys.list(teamId, other) },
      lists,
      keys.membership(teamId, other, '').pk,
    ),
    counted(
      { ...(await record('/lists', few)), ...keys.list(teamId, few) },
      lists,
      keys.membership(teamId, few, '').pk,
    ),
    ...campaignRows(teamId, emails),
  ]);
  async function tagOf() {
    const all: { id: number }[] = await accepted(stack.call('GET', '/tags'));
    return all.find(({ id }) => id === half)!;
  }
  const results: Result[] = [];
  for (const path of [
    '/events?event=bounced',
    '/events?event=clicked',
    '/events?event=opened',
    '/events?event=delivered',
    '/events?event=sent',
    '/events?event=queued',
    '/events?since=2020-01-01T00:00:00Z',
    `/events?campaign_id=${campaignId}`,
    `/events?campaign_id=${campaignId}&event=bounced`,
    `/events?campaign_id=${campaignId}&event=clicked`,
    `/events?campaign_id=${campaignId}&event=opened`,
    `/events?email=${encodeURIComponent(emails[0]!)}`,
    `/events?email=${encodeURIComponent(emails[0]!)}&event=bounced`,
    `/campaigns/${campaignId}/recipients?filter=all`,
    `/campaigns/${campaignId}/recipients?filter=sent`,
    `/campaigns/${campaignId}/recipients?filter=pending`,
    `/campaigns/${campaignId}/recipients?filter=opened`,
    `/campaigns/${campaignId}/recipients?filter=clicked`,
    `/campaigns/${campaignId}/recipients?filter=bounced`,
    `/contacts?tag_id=${half}`,
    `/contacts?tag_id=${half}&list_id=${other}`,
    `/contacts?tag_id=${half}&list_id=${few}`,
    `/contacts?list_id=${other}&status=unsubscribed`,
    `/contacts?tag_id=${half}&status=unsubscribed`,
    `/contacts?list_id=${few}&status=unsubscribed`,
    `/contacts?tag_id=${half}&list_id=${few}&status=active`,
    '/contacts?status=bounced',
    '/contacts?status=unsubscribed',
    `/contacts?updated_since=2020-01-01T00:00:00Z&list_id=${few}`,
    '/suppressions?reason=manual',
  ])
    results.push(await listing(stack, path));
  return [...results, await ingestion(stack)];
}

function campaignRows(teamId: number, emails: readonly string[]): Row[] {
  const begun = Date.now() - 10 * 3_600_000;
  const [queued, at] = [timestamp(begun), timestamp(begun + 60_000)];
  const ttl = epochSeconds() + 86_400 * 180;
  const native = (type: 'queued' | 'sent', page: number, created_at: string) => {
    const id = nativeId(teamId, campaignId, type, placeIn(page, 0));
    const located = { campaign_id: campaignId, created_at, id, event: type };
    return { ...eventKeys(teamId, located, true), native: type, campaign_id: campaignId, page, created_at, ttl };
  };
  const event = (email: string, index: number, type: EventType) => {
    const created_at = timestamp(begun + 120_000 + index * 3_000);
    const located = {
      email,
      campaign_id: campaignId,
      created_at,
      id: 2 ** 52 + index * 32 + (type === 'clicked' ? 16 : 0) + (index % 16),
    };
    const rest = { provider: 'ses', source: 'provider', confirmed: true, is_machine_open: false };
    const metadata = {
      user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15',
      ip: '192.0.2.1',
    };
    return {
      ...eventKeys(teamId, { ...located, event: type }, true),
      ...located,
      contact_id: null,
      event: type,
      ...rest,
      metadata,
      ttl,
    };
  };
  const pages = Array.from({ length: Math.ceil(emails.length / pageSize) }, (_, page) => page);
  return [
    ...sentPages(teamId, campaignId, emails),
    {
      ...keys.campaign(teamId, campaignId),
      id: campaignId,
      status: 'sent',
      frozen_at: queued,
      updated_at: at,
      ended_at: timestamp(),
    },
    ...[queued, timestamp()].map((time) => ({ ...keys.eventDay(teamId, time.slice(0, 10)), ttl })),
    native('queued', 0, queued),
    ...pages.map((page) => native('sent', page, at)),
    ...Array.from({ length: Math.ceil(emails.length / 100) }, (_, row) =>
      deliveredEvents(
        teamId,
        campaignId,
        emails.slice(row * 100, row * 100 + 100).map((_email, index) => ({
          place: placeIn(2 * row + Math.floor(index / pageSize), index % pageSize),
          at: timestamp(begun + 90_000 + row * 10),
        })),
      ),
    ),
    ...emails.flatMap((email, index) => {
      if (index % 10 > 2) return [];
      const opened_at = timestamp(begun + 120_000 + index * 3_000);
      const clicked = index % 100 === 0 && { clicked_at: opened_at };
      return [
        { ...keys.engagement(teamId, campaignId, email), opened_at, ...clicked },
        event(email, index, 'opened'),
        ...(clicked ? [event(email, index, 'clicked')] : []),
      ];
    }),
  ] as Row[];
}

async function listing(stack: BenchStack, path: string): Promise<Result> {
  let [rows, more] = [0, false];
  const get = async () => {
    const { status, body } = await stack.call('GET', path);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    [rows, more] = [body.data.length, body.has_more];
  };
  await get();
  const p50 = median(await timings(3, get));
  const { calls, capacity } = await stack.metered(get);
  const made = Object.entries(calls).flatMap(([name, times]) => (name.startsWith('dynamodb') ? [times] : []));
  const total = made.reduce((sum, times) => sum + times, 0);
  return {
    what: `listing ${path.replaceAll(String(campaignId), '{id}')}`,
    figure: capacity.read,
    unit: 'read units',
    atMost: 4 * rows + constant,
    details: `${rows} rows${more ? ' and more' : ''}, ${total} calls, ${round(p50)} ms`,
  };
}

/** Reports 1,000 events of as many contacts. */
async function ingestion(stack: BenchStack): Promise<Result> {
  const list = await accepted(stack.call('POST', '/lists', { name: 'Reported' }));
  await importTo(stack, list.id, 1_000);
  const people: { email: string }[] = [];
  for (let path = `/lists/${list.id}/contacts?per_page=100`; path; ) {
    const { body } = await stack.call('GET', path);
    people.push(...body.data);
    path = body.next_page_url?.replace(/^.*\/v1/, '') ?? '';
  }
  const report = (run: number) => {
    const events = people.map(({ email }, index) => ({
      email,
      event: ['delivered', 'opened', 'clicked', 'deferred'][(index + run) % 4],
      metadata: { provider_event_id: `${run}-${index}`, url: 'https://example.com/' },
    }));
    return accepted(stack.call('POST', '/events', { events }));
  };
  await report(0);
  const p50 = median(await timings(3, (run) => report(run + 1)));
  const used = await stack.metered(() => report(9));
  return {
    what: 'POST /events of 1,000 events, p50',
    figure: p50 / 1_000,
    unit: 's',
    atMost: 2,
    details: consumedBy(used, 1, 'call'),
  };
}
