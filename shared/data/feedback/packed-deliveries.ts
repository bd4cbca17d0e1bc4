import { timestamp } from '../../domain/time.ts';
import { type DeliveredRow, deliveriesOf, rowSpanMs } from '../events/rows.ts';
import { eventPosition, partitions } from '../keys.ts';
import type { Positioned, Source } from '../paging.ts';
import { indexed, partition } from '../sources.ts';
import { dayByDay } from './days.ts';
import type { ListedEvent } from './listed-event.ts';
import { delivered } from './native-events.ts';

/** The packed deliveries of a team or of one of its campaigns, newest first; rows bound them, so some lie outside. */
export function packedDeliveries(
  teamId: number,
  campaignId: number | undefined,
  low: string,
  until: string | undefined,
): Source<ListedEvent> {
  // A row is at the time of its last delivery.
  const high = `${until === undefined ? '9999' : shifted(until, rowSpanMs)}~`;
  const ofDay = (day: string) =>
    partition<DeliveredRow>({ pk: partitions.delivered(teamId, day), descending: true, low, high });
  if (campaignId === undefined) return unpacked(teamId, dayByDay(teamId, low, high, ofDay));
  const pk = partitions.deliveredOfCampaign(teamId, campaignId);
  return unpacked(teamId, indexed<DeliveredRow>({ pk, index: 'gsi2', descending: true, low, high }));
}

const shifted = (time: string, ms: number): string => timestamp(Date.parse(time) + ms);

/** The deliveries of rows in one order; each waits until no row that is still to be read can have one before it. */
function unpacked(teamId: number, source: Source<DeliveredRow>): Source<ListedEvent> {
  return async function* (direction, from, batch) {
    const descending = direction === 'forward';
    const precedes = (a: string, b: string) => (descending ? a > b : a < b);
    const [time] = from?.split('#') ?? [];
    const start = time && (descending ? `${shifted(time, rowSpanMs)}#~` : `${time}#`);
    let waiting: Positioned<ListedEvent>[] = [];
    for await (const { position, item } of source(direction, start, batch)) {
      const safe = descending ? position : shifted(item.created_at, -rowSpanMs);
      yield* waiting.filter((one) => precedes(one.position, safe));
      const events = await delivered(teamId, item.campaign_id, deliveriesOf(item));
      const placed = events.map((event) => ({ position: eventPosition(event.created_at, event.id), item: event }));
      waiting = waiting
        .filter((one) => !precedes(one.position, safe))
        .concat(placed.filter((one) => from === undefined || precedes(from, one.position)))
        .sort((a, b) => (precedes(a.position, b.position) ? -1 : 1));
    }
    yield* waiting;
  };
}
