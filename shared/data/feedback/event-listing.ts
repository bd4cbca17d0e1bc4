import { decode } from '../../domain/campaigns/recipient-ledger.ts';
import { erasedEmail } from '../../domain/email-address.ts';
import type { EventType } from '../../domain/events/delivery-event.ts';
import * as recipients from '../campaigns/recipients.ts';
import * as tombstones from '../campaigns/tombstones.ts';
import { ofEmail } from '../events/of-address.ts';
import type { EventItem, EventRow, NativeRow } from '../events/rows.ts';
import * as rows from '../events/rows.ts';
import { eventPosition, type Key, partitions } from '../keys.ts';
import { type Direction, filtered, merged, type Positioned, type Search, type Source } from '../paging.ts';
import { indexed, partition } from '../sources.ts';
import * as table from '../table.ts';

/** Rows that are anonymized at once. */
const lanes = 32;

/** An event as listings give it. */
export type ListedEvent = Omit<EventItem, 'pk' | 'sk' | 'ttl' | 'applying' | 'untold' | 'machine_reason'>;

/** The event as the API shows it. */
export function view(event: ListedEvent) {
  return {
    id: event.id,
    email: event.email,
    event: event.event,
    campaign_id: event.campaign_id,
    contact_id: event.contact_id,
    provider: event.provider,
    source: event.source,
    is_machine_open: event.is_machine_open,
    metadata: event.metadata,
    created_at: event.created_at,
  };
}

/** What a listing may be narrowed to. */
export interface EventFilter {
  event?: EventType;
  email?: string;
  campaign_id?: number;
  contact_id?: number;
  since?: string;
  until?: string;
  include_machine_opens?: boolean;
}

/** The team's events, newest first, native `queued` and `sent` among them, at most 180 days old. */
export function list(teamId: number, filter: EventFilter): Search<ListedEvent> {
  const oldest = rows.oldestShown(new Date());
  const low = filter.since && filter.since > oldest ? filter.since : oldest;
  const high = `${filter.until ?? '9999'}~`;
  const source =
    filter.email === undefined
      ? expanded(teamId, withoutOthers(rowSource(teamId, filter, low, high), filter))
      : merged<ListedEvent>(
          [ofEmail(teamId, filter.email, low, high), nativeOfEmail(teamId, filter.email, low, high, filter)],
          false,
        );
  // Reading backwards, a cursor may come from before what is too old by now.
  return filtered(source, (event) => event.created_at >= low && passes(event, filter));
}

function passes(event: ListedEvent, filter: EventFilter): boolean {
  return (
    (filter.event === undefined || event.event === filter.event) &&
    (filter.campaign_id === undefined || event.campaign_id === filter.campaign_id) &&
    (filter.contact_id === undefined || event.contact_id === filter.contact_id) &&
    (filter.include_machine_opens || !event.is_machine_open)
  );
}

function rowSource(teamId: number, filter: EventFilter, low: string, high: string): Source<EventRow> {
  if (filter.campaign_id !== undefined) {
    const pk = partitions.eventsOfCampaign(teamId, filter.campaign_id);
    return indexed<EventRow>({ pk, index: 'gsi2', descending: true, low, high });
  }
  return async function* (direction, from, batch) {
    const [first, last] = direction === 'forward' ? [low, from ?? high] : [from ?? low, high];
    if (first > last) return;
    const days = await rows.days(teamId, first, last);
    if (direction === 'backward') days.reverse();
    for (const day of days) {
      const shards = rows
        .dayPartitions(teamId, day)
        .map((pk) => partition<EventRow>({ pk, descending: true, low, high }));
      yield* merged(shards, false)(direction, from, batch);
    }
  };
}

/** Leaves out rows of native events that the filter would drop one by one. */
function withoutOthers(source: Source<EventRow>, { event }: EventFilter): Search<EventRow> {
  return filtered(source, (row) => !('native' in row) || event === undefined || event === row.native);
}

/** Rows of native events taken apart into their events, in order, from a position that may lie inside a row. */
function expanded(teamId: number, source: Search<EventRow>): Search<ListedEvent> {
  return async function* (direction, from, batch) {
    // A row of many sorts by its first event: reading upwards starts at the moment itself so as not to miss the row.
    const start = from !== undefined && direction === 'backward' ? from.slice(0, from.indexOf('#') + 1) : from;
    const beyond = (position: string, mark: string | undefined) =>
      mark === undefined || (direction === 'forward' ? position < mark : position > mark);
    let shown = from;
    for await (const row of source(direction, start, batch)) {
      if (!('item' in row)) {
        if (beyond(row.reached, shown)) yield row;
        continue;
      }
      const events = 'native' in row.item ? nativeEvents(teamId, row.item, direction, from) : [row.item];
      for await (const event of events) {
        const position = eventPosition(event.created_at, event.id);
        if (!beyond(position, from)) continue;
        shown = position;
        yield { position, item: event };
      }
    }
  };
}

async function* nativeEvents(
  teamId: number,
  row: NativeRow,
  direction: Direction,
  from: string | undefined,
): AsyncGenerator<ListedEvent> {
  const backward = direction === 'forward';
  for await (const leaf of leavesOf(teamId, row, backward, from)) {
    const [page] =
      row.native === 'sent' ? await recipients.pageResults(teamId, row.campaign_id, [leaf.page]) : [undefined];
    const statuses = page ? decode(page.statuses) : [];
    const events = leaf.recipients.flatMap((recipient, index) =>
      row.native === 'queued' || (statuses[index] === 'sent' && recipients.partOf(leaf, index) === row.part)
        ? [nativeEvent(teamId, row.campaign_id, row.native, row.created_at, leaf.page, index, recipient)]
        : [],
    );
    yield* backward ? events.reverse() : events;
  }
}

async function* leavesOf(
  teamId: number,
  row: NativeRow,
  backward: boolean,
  from: string | undefined,
): AsyncGenerator<recipients.RecipientPage> {
  if (row.native === 'sent') {
    const [page] = await recipients.pageResults(teamId, row.campaign_id, [row.page]);
    const leaf = page && (await recipients.recipientPage(teamId, row.campaign_id, page.leaf));
    if (leaf) yield leaf;
    return;
  }
  const [at, id] = from?.split('#') ?? [];
  const startPage = at === row.created_at ? Math.floor(rows.placeOf(Number(id)) / recipients.pageSize) : undefined;
  const [page] =
    startPage === undefined ? [undefined] : await recipients.pageResults(teamId, row.campaign_id, [startPage]);
  let cursor: { from?: string; inclusive?: boolean } = { from: page?.leaf, inclusive: true };
  for (;;) {
    const leaves = await recipients.recipientPages(teamId, row.campaign_id, { ...cursor, backward, count: 4 });
    yield* leaves;
    if (leaves.length < 4) return;
    cursor = { from: leaves.at(-1)!.sk };
  }
}

/** One of the events that a row of many stands for. */
export function nativeEvent(
  teamId: number,
  campaignId: number,
  event: 'queued' | 'sent',
  at: string,
  page: number,
  index: number,
  recipient: recipients.Recipient,
): ListedEvent {
  return {
    id: rows.nativeId(teamId, campaignId, event, page * recipients.pageSize + index),
    email: recipient.email || erasedEmail,
    event,
    campaign_id: campaignId,
    contact_id: recipient.contact_id || null,
    provider: null,
    source: 'native',
    is_machine_open: false,
    metadata: {},
    created_at: at,
  };
}

/** Campaigns that are searched for an address at once. */
const campaignsAtOnce = 16;

/** An address's `queued` and `sent`, found through the campaigns that it may have been a recipient of then. */
function nativeOfEmail(
  teamId: number,
  email: string,
  low: string,
  high: string,
  filter: EventFilter = {},
): Source<ListedEvent> {
  return async function* (direction, from) {
    if (filter.event !== undefined && filter.event !== 'queued' && filter.event !== 'sent') return;
    const searched: { id: number; frozen_at: string }[] = [];
    for await (const { id, frozen_at, ended_at = '~' } of tombstones.withRecipients(teamId))
      if (frozen_at !== undefined && frozen_at <= high && ended_at >= low && (filter.campaign_id ?? id) === id)
        searched.push({ id, frozen_at });
    const found: Positioned<ListedEvent>[] = [];
    for (let at = 0; at < searched.length; at += campaignsAtOnce)
      found.push(
        ...(
          await Promise.all(searched.slice(at, at + campaignsAtOnce).map((one) => nativeIn(teamId, one, email)))
        ).flat(),
      );
    const sign = direction === 'forward' ? -1 : 1;
    found.sort((a, b) => (a.position < b.position ? -sign : sign));
    for (const event of found) {
      const beyond = from === undefined || (direction === 'forward' ? event.position < from : event.position > from);
      if (beyond && event.position >= low && event.position <= high) yield event;
    }
  };
}

/** An address's `queued` and `sent` in one campaign. */
async function nativeIn(
  teamId: number,
  { id, frozen_at }: { id: number; frozen_at: string },
  email: string,
): Promise<Positioned<ListedEvent>[]> {
  const found = await recipients.locate(teamId, id, email);
  if (!found) return [];
  const { leaf, index } = found;
  const [page] = await recipients.pageResults(teamId, id, [leaf.page]);
  const eventOf = (event: 'queued' | 'sent', at: string) => {
    const item = nativeEvent(teamId, id, event, at, leaf.page, index, leaf.recipients[index]!);
    return { position: eventPosition(at, item.id), item };
  };
  const sentAt = recipients.sentAtOf(page, recipients.partOf(leaf, index));
  const sent = sentAt && decode(page!.statuses)[index] === 'sent' ? [eventOf('sent', sentAt)] : [];
  return [eventOf('queued', frozen_at), ...sent];
}

const ofAddress = (teamId: number, email: string) => ({
  IndexName: 'gsi1',
  ExpressionAttributeValues: { ':pk': partitions.eventsOfEmail(teamId, email) },
});

/** How many events the team has of an address, native ones among them. */
export async function countOf(teamId: number, email: string): Promise<number> {
  let native = 0;
  for await (const _event of nativeOfEmail(teamId, email, ' ', '~')('forward', undefined, 100)) native++;
  return native + (await table.count({ ...ofAddress(teamId, email), KeyConditionExpression: 'gsi1pk = :pk' }));
}

/** Takes a person out of the team's events from before a moment: address, contact and metadata go, the rows and their counts stay. False when the deadline came first. */
export async function anonymize(teamId: number, email: string, before: string, deadline: number): Promise<boolean> {
  const { ExpressionAttributeValues, ...index } = ofAddress(teamId, email);
  for (;;) {
    let forgotten = 0;
    let next: Record<string, unknown> | undefined;
    do {
      const page: Awaited<ReturnType<typeof table.query<Key>>> = await table.query<Key>({
        ...index,
        KeyConditionExpression: 'gsi1pk = :pk AND gsi1sk < :before',
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':before': before },
        ExclusiveStartKey: next,
        Limit: 16 * lanes,
      });
      for (let at = 0; at < page.items.length; at += lanes) {
        if (Date.now() > deadline) return false;
        const changed = await Promise.all(page.items.slice(at, at + lanes).map((row) => forget(row, email)));
        forgotten += changed.filter(Boolean).length;
      }
      next = page.next;
    } while (next);
    // The index may lag behind the rows, and others may have written: over when there was nothing left to do.
    if (forgotten === 0) return true;
  }
}

async function forget({ pk, sk }: Key, email: string): Promise<boolean> {
  const changed = await table.updateIf({
    Key: { pk, sk },
    UpdateExpression: 'SET email = :anonymous, contact_id = :none, metadata = :empty REMOVE gsi1pk, gsi1sk',
    ConditionExpression: 'email = :email',
    ExpressionAttributeValues: { ':anonymous': erasedEmail, ':none': null, ':empty': {}, ':email': email },
    ReturnValues: 'NONE',
  });
  return changed !== undefined;
}
