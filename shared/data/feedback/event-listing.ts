import type { EventType } from '../../domain/events/delivery-event.ts';
import { ofEmail } from '../events/of-address.ts';
import * as rows from '../events/rows.ts';
import { campaignPartitions, dayPartitions } from '../events/shards.ts';
import { eventPosition, type Key } from '../keys.ts';
import { filtered, merged, type Search, type Source } from '../paging.ts';
import { partition, type Range, whole } from '../sources.ts';
import { dayByDay } from './days.ts';
import type { ListedEvent } from './listed-event.ts';
import * as nativeEvents from './native-events.ts';
import { packedDeliveries } from './packed-deliveries.ts';

/** The filters of a listing. */
export interface EventFilter {
  event?: EventType;
  email?: string;
  campaign_id?: number;
  contact_id?: number;
  since?: string;
  until?: string;
  include_machine_opens?: boolean;
}

/** The team's events, newest first, native `queued` and `sent` included, at most 180 days old. */
export function list(teamId: number, filter: EventFilter): Search<ListedEvent> {
  const oldest = rows.oldestShown(new Date());
  const low = filter.since && filter.since > oldest ? filter.since : oldest;
  const high = `${filter.until ?? '9999'}~`;
  const source =
    filter.email === undefined
      ? sourceOfTeam(teamId, filter, low, high)
      : sourceOfEmail(teamId, filter.email, filter, low, high);
  // When reading backwards, the cursor may be older than the events that are still shown; a row of deliveries has older
  // ones than its own time.
  return filtered(source, (event) => event.created_at >= low && event.created_at <= high && passes(event, filter));
}

/** The stored events of a campaign, of its deliveries those that are not packed, newest first. */
export function storedOf(teamId: number, campaignId: number): Search<rows.EventItem> {
  const all = rowSource(teamId, { campaign_id: campaignId }, rows.oldestShown(new Date()), '9999~');
  return filtered(all, (row) => !('native' in row)) as Search<rows.EventItem>;
}

function passes(event: ListedEvent, filter: EventFilter): boolean {
  return (
    (filter.event === undefined || event.event === filter.event) &&
    (filter.campaign_id === undefined || event.campaign_id === filter.campaign_id) &&
    (filter.contact_id === undefined || event.contact_id === filter.contact_id) &&
    (filter.include_machine_opens || !event.is_machine_open)
  );
}

function sourceOfTeam(teamId: number, filter: EventFilter, low: string, high: string): Search<ListedEvent> {
  const stored = expanded(teamId, withoutOthers(rowSource(teamId, filter, low, high), filter));
  if (filter.event !== undefined && filter.event !== 'delivered') return stored;
  return merged([stored, packedDeliveries(teamId, filter.campaign_id, low, filter.until)], false);
}

function sourceOfEmail(
  teamId: number,
  email: string,
  { event, campaign_id }: EventFilter,
  low: string,
  high: string,
): Search<ListedEvent> {
  const sources: Search<ListedEvent>[] = [ofEmail(teamId, email, low, high)];
  if (event === undefined || event === 'queued' || event === 'sent' || event === 'delivered')
    sources.push(nativeEvents.ofEmail(teamId, email, low, high, campaign_id));
  return merged(sources, false);
}

function rowSource(teamId: number, filter: EventFilter, low: string, high: string): Search<rows.EventRow> {
  if (filter.campaign_id !== undefined) {
    const partitions = campaignPartitions(teamId, filter.campaign_id);
    const named = merged(spread<Key & { gsi2sk: string }>(partitions, { index: 'gsi2', low, high }), false);
    const { event } = filter;
    return whole(event ? filtered(named, ({ gsi2sk }) => (typeIn(gsi2sk) ?? event) === event) : named);
  }
  return dayByDay(teamId, low, high, (day) => merged(spread(dayPartitions(teamId, day), { low, high }), false));
}

/** The type that an index entry names. */
const typeIn = (position: string): string | undefined => position.split('#')[2];

/** The rows of partitions, newest first; of what the reader wants, each has a part. */
function spread<T extends Key>(pks: readonly string[], range: Omit<Range, 'pk'>): Source<T>[] {
  return pks.map((pk) => {
    const source = partition<T>({ ...range, pk, descending: true });
    return (direction, from, batch) => source(direction, from, Math.ceil((4 * batch) / pks.length));
  });
}

/** Drops rows of native events whose every event the filter would drop. */
function withoutOthers(source: Search<rows.EventRow>, { event }: EventFilter): Search<rows.EventRow> {
  return filtered(source, (row) => !('native' in row) || event === undefined || event === row.native);
}

/** Expands rows of native events into their events, in order, from a position that may be inside a row. */
function expanded(teamId: number, source: Search<rows.EventRow>): Search<ListedEvent> {
  return async function* (direction, from, batch) {
    // A native row sorts by its first event: reading upwards begins at the time itself, so as not to miss the row.
    const start = from !== undefined && direction === 'backward' ? from.slice(0, from.indexOf('#') + 1) : from;
    const beyond = (position: string, mark: string | undefined) =>
      mark === undefined || (direction === 'forward' ? position < mark : position > mark);
    let shown = from;
    for await (const row of source(direction, start, batch)) {
      if (!('item' in row)) {
        if (beyond(row.reached, shown)) yield row;
        continue;
      }
      const events = 'native' in row.item ? nativeEvents.expand(teamId, row.item, direction, from) : [row.item];
      for await (const event of events) {
        const position = eventPosition(event.created_at, event.id);
        if (!beyond(position, from)) continue;
        shown = position;
        yield { position, item: event };
      }
    }
  };
}
