import * as recipients from '../../data/campaigns/recipients.ts';
import * as deliveries from '../../data/events/deliveries.ts';
import { deliveredJustBefore } from '../../data/events/of-address.ts';
import type { EventItem } from '../../data/events/rows.ts';
import { concurrently } from '../../domain/concurrently.ts';
import type { IncomingEvent } from '../../domain/events/delivery-event.ts';
import { machineOpenWindowMs, openedTooSoon } from '../../domain/events/machine-engagement.ts';
import { placeIn } from '../../domain/events/place.ts';

const concurrency = 24;

/** When the messages of events were delivered, where that is packed: their records are read together. */
export async function packedDeliveries(
  teamId: number,
  events: readonly IncomingEvent[],
): Promise<ReadonlyMap<IncomingEvent, string>> {
  const delivered = new Map<IncomingEvent, string>();
  for (const [campaignId, own] of Map.groupBy(events, ({ campaign_id }) => campaign_id)) {
    if (campaignId === null) continue;
    const places = await concurrently(own, concurrency, (event) => placeOf(teamId, campaignId, event));
    const times = await deliveries.timesOf(
      teamId,
      campaignId,
      places.filter((place) => place !== undefined),
    );
    for (const [index, event] of own.entries()) {
      const at = places[index] === undefined ? undefined : times.get(places[index]);
      if (at !== undefined) delivered.set(event, at);
    }
  }
  return delivered;
}

async function placeOf(teamId: number, campaignId: number, event: IncomingEvent): Promise<number | undefined> {
  if (event.place !== undefined) return event.place;
  const found = await recipients.locate(teamId, campaignId, event.email);
  return found && placeIn(found.page.number, found.index);
}

/** When the message of a stored open was delivered, packed or not, if that was shortly before it. */
export async function deliveryBefore(
  teamId: number,
  open: EventItem,
  packed: string | undefined,
): Promise<string | undefined> {
  if (packed !== undefined && openedTooSoon(open.created_at, packed)) return packed;
  return deliveredJustBefore(teamId, open, machineOpenWindowMs);
}
