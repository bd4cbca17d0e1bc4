import { letters } from '../../domain/campaigns/recipient-ledger.ts';
import { timestamp } from '../../domain/time.ts';
import { padId, partitions } from '../keys.ts';
import * as table from '../table.ts';
import type { PageResult } from './recipients.ts';
import * as recipients from './recipients.ts';
import * as tombstones from './tombstones.ts';

/** A row that is read by its key costs, in time and money, as much as this many that lie in a row. */
const rowsPerLookup = 8;
const lookupsAtOnce = 16;
/** Rows that are read together: about the megabyte that one Query gives. */
const [leavesAtOnce, pagesAtOnce] = [500, 3_000];

/** What was being sent when a campaign was cancelled is committed within this. */
const stragglerMilliseconds = 3_600_000;

/** Where a recipient stands in a campaign's pages. */
interface Place {
  email: string;
  page: number;
  index: number;
  part: recipients.Part | undefined;
}

/** What of a page says who was sent its messages, and when. */
type Sending = Pick<PageResult, 'statuses' | 'sent_at' | 'rest_sent_at'>;

/** The team's campaigns, newest first and deleted ones too, that may have sent a message at or after a moment. */
export async function campaignsSince(teamId: number, since: string): Promise<number[]> {
  const over = timestamp(Date.parse(since) - stragglerMilliseconds);
  const found: number[] = [];
  for await (const { id, frozen_at, ended_at } of tombstones.withRecipients(teamId))
    if (frozen_at !== undefined && (ended_at === undefined || ended_at >= over)) found.push(id);
  return found.sort((a, b) => b - a);
}

/** Which of some addresses a campaign's message was sent to at or after a moment; how much is read depends on how close together they lie. */
export async function sentTo(
  teamId: number,
  campaignId: number,
  emails: readonly string[],
  since: string,
): Promise<Set<string>> {
  const places = await placesOf(teamId, campaignId, [...emails].sort());
  if (places.length === 0) return new Set();
  const numbers = [...new Set(places.map(({ page }) => page))].sort((a, b) => a - b);
  const pages = await pagesOf(teamId, campaignId, numbers);
  const sent = places.filter(({ page: number, index, part }) => {
    const page = pages.get(number);
    const sentAt = recipients.sentAtOf(page, part);
    return page?.statuses[index] === letters.sent && sentAt !== undefined && sentAt >= since;
  });
  return new Set(sent.map(({ email }) => email));
}

/** The places of those addresses, in order, that are recipients: their leaves are read one by one, or all between the first and the last. */
async function placesOf(teamId: number, campaignId: number, emails: readonly string[]): Promise<Place[]> {
  const [first, last] = await Promise.all([
    recipients.pageAround(teamId, campaignId, emails[0]!),
    recipients.pageAround(teamId, campaignId, emails.at(-1)!),
  ]);
  if (!last) return [];
  if (last.page - (first?.page ?? 0) > rowsPerLookup * emails.length) return lookUp(teamId, campaignId, emails);
  const wanted = new Set(emails);
  const places: Place[] = [];
  const leaves = table.queryAll<{ page: number; emails: string; dealt?: string }>({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': partitions.recipients(teamId, campaignId),
      ':first': first?.sk ?? emails[0],
      ':last': last.sk,
    },
    ProjectionExpression: 'page, emails, dealt',
    ConsistentRead: true,
    Limit: leavesAtOnce,
  });
  for await (const leaf of leaves)
    for (const [index, email] of leaf.emails.split('\n').entries())
      if (wanted.has(email)) places.push({ email, page: leaf.page, index, part: recipients.partOf(leaf, index) });
  return places;
}

async function lookUp(teamId: number, campaignId: number, emails: readonly string[]): Promise<Place[]> {
  const places: Place[] = [];
  for (let start = 0; start < emails.length; start += lookupsAtOnce) {
    const some = emails.slice(start, start + lookupsAtOnce);
    const found = await Promise.all(some.map((email) => recipients.locate(teamId, campaignId, email)));
    for (const [at, place] of found.entries())
      if (place) {
        const { leaf, index } = place;
        places.push({ email: some[at]!, page: leaf.page, index, part: recipients.partOf(leaf, index) });
      }
  }
  return places;
}

/** Pages by number, which must ascend. */
async function pagesOf(
  teamId: number,
  campaignId: number,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Sending>> {
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
  const found = new Map<number, Sending>();
  if (last - first > rowsPerLookup * numbers.length) {
    const rows = await recipients.pageResults(teamId, campaignId, numbers);
    for (const [at, row] of rows.entries()) if (row) found.set(numbers[at]!, row);
    return found;
  }
  const wanted = new Set(numbers);
  const rows = table.queryAll<Sending & Pick<PageResult, 'sk'>>({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': partitions.pages(teamId, campaignId),
      ':first': padId(first),
      ':last': padId(last),
    },
    ProjectionExpression: 'sk, statuses, sent_at, rest_sent_at',
    ConsistentRead: true,
    Limit: pagesAtOnce,
  });
  for await (const { sk, ...row } of rows) if (wanted.has(Number(sk))) found.set(Number(sk), row);
  return found;
}
