import { letters } from '../../domain/campaigns/recipient-ledger.ts';
import { timestamp } from '../../domain/time.ts';
import { padId, partitions } from '../keys.ts';
import * as table from '../table.ts';
import * as pageResults from './page-results.ts';
import * as recipients from './recipients.ts';
import * as tombstones from './tombstones.ts';

/** Reading one row by its key costs, in time and money, as much as reading this many neighbours with a Query. */
const rowsPerLookup = 8;
const lookupsAtOnce = 16;
/** Rows that are read together: about the megabyte that one Query returns. */
const [pagesAtOnce, resultsAtOnce] = [500, 3_000];

/** Messages under way when a campaign was cancelled are committed within this. */
const stragglerMilliseconds = 3_600_000;

/** A recipient's place in a campaign. */
interface Place {
  email: string;
  pageNumber: number;
  index: number;
  part: recipients.Part | undefined;
}

type Sent = Pick<pageResults.PageResult, 'statuses' | 'sent_at' | 'rest_sent_at' | 'resent'>;

/** The team's campaigns that may have sent a message since a time, newest first, deleted ones included. */
export async function campaignsSince(teamId: number, since: string): Promise<number[]> {
  const over = timestamp(Date.parse(since) - stragglerMilliseconds);
  const found: number[] = [];
  for await (const { id, frozen_at, ended_at } of tombstones.withRecipients(teamId))
    if (frozen_at !== undefined && (ended_at === undefined || ended_at >= over)) found.push(id);
  return found.sort((a, b) => b - a);
}

/** The addresses, of those given, that a campaign's message was sent to since a time. */
export async function sentTo(
  teamId: number,
  campaignId: number,
  emails: readonly string[],
  since: string,
): Promise<Set<string>> {
  const places = await placesOf(teamId, campaignId, [...emails].sort());
  if (places.length === 0) return new Set();
  const numbers = [...new Set(places.map(({ pageNumber }) => pageNumber))].sort((a, b) => a - b);
  const results = await resultsOf(teamId, campaignId, numbers);
  const sent = places.filter(({ pageNumber, index, part }) => {
    const result = results.get(pageNumber);
    const sentAt = pageResults.sentAtOf(result, part, index);
    return result?.statuses[index] === letters.sent && sentAt !== undefined && sentAt >= since;
  });
  return new Set(sent.map(({ email }) => email));
}

/** The places of sorted addresses; their pages are read one by one, or all between the first and the last. */
async function placesOf(teamId: number, campaignId: number, emails: readonly string[]): Promise<Place[]> {
  const [first, last] = await Promise.all([
    recipients.pageAround(teamId, campaignId, emails[0]!),
    recipients.pageAround(teamId, campaignId, emails.at(-1)!),
  ]);
  if (!last) return [];
  if (last.number - (first?.number ?? 0) > rowsPerLookup * emails.length) return lookUp(teamId, campaignId, emails);
  const wanted = new Set(emails);
  const places: Place[] = [];
  const pages = table.queryAll<{ page: number; emails: string; dealt?: string }>({
    ...table.within(partitions.recipients(teamId, campaignId), { between: [first?.sk ?? emails[0]!, last.sk] }),
    ProjectionExpression: 'page, emails, dealt',
    ConsistentRead: true,
    Limit: pagesAtOnce,
  });
  for await (const { page: pageNumber, emails: packed, dealt } of pages)
    for (const [index, email] of packed.split('\n').entries())
      if (wanted.has(email))
        places.push({ email, pageNumber, index, part: recipients.partOf({ letters: dealt }, index) });
  return places;
}

async function lookUp(teamId: number, campaignId: number, emails: readonly string[]): Promise<Place[]> {
  const places: Place[] = [];
  for (let start = 0; start < emails.length; start += lookupsAtOnce) {
    const some = emails.slice(start, start + lookupsAtOnce);
    const found = await Promise.all(some.map((email) => recipients.locate(teamId, campaignId, email)));
    for (const [at, place] of found.entries())
      if (place) {
        const { page, index } = place;
        places.push({ email: some[at]!, pageNumber: page.number, index, part: recipients.partOf(page, index) });
      }
  }
  return places;
}

/** Page results by number; the numbers must ascend. */
async function resultsOf(
  teamId: number,
  campaignId: number,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Sent>> {
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
  const found = new Map<number, Sent>();
  if (last - first > rowsPerLookup * numbers.length) {
    const results = await pageResults.batch(teamId, campaignId, numbers);
    for (const [at, result] of results.entries()) if (result) found.set(numbers[at]!, result);
    return found;
  }
  const wanted = new Set(numbers);
  const results = table.queryAll<Sent & Pick<pageResults.PageResult, 'sk'>>({
    ...table.within(partitions.pages(teamId, campaignId), { between: [padId(first), padId(last)] }),
    ProjectionExpression: 'sk, statuses, sent_at, rest_sent_at, resent',
    ConsistentRead: true,
    Limit: resultsAtOnce,
  });
  for await (const { sk, ...result } of results) if (wanted.has(Number(sk))) found.set(Number(sk), result);
  return found;
}
