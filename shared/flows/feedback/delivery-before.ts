import * as recipients from '../../data/campaigns/recipients.ts';
import * as deliveries from '../../data/events/deliveries.ts';
import { deliveredJustBefore } from '../../data/events/of-address.ts';
import type { IncomingEvent } from '../../domain/events/delivery-event.ts';
import { machineOpenWindowMs } from '../../domain/events/machine-engagement.ts';
import { placeIn } from '../../domain/events/place.ts';
import { timestamp } from '../../domain/time.ts';

/** When the message of an open was delivered, if that was stored and shortly before the open. */
export async function deliveryBefore(teamId: number, event: IncomingEvent): Promise<string | undefined> {
  const { campaign_id, email, occurred_at } = event;
  const row = await deliveredJustBefore(teamId, campaign_id, email, occurred_at, machineOpenWindowMs);
  if (row !== undefined || campaign_id === null) return row;
  const place = event.place ?? (await placeOf(teamId, campaign_id, email));
  if (place === undefined) return undefined;
  const at = (await deliveries.timesOf(teamId, campaign_id, [place])).get(place);
  const from = timestamp(Date.parse(occurred_at) - machineOpenWindowMs);
  return at !== undefined && at >= from && at <= occurred_at ? at : undefined;
}

async function placeOf(teamId: number, campaignId: number, email: string): Promise<number | undefined> {
  const found = await recipients.locate(teamId, campaignId, email);
  return found && placeIn(found.page.number, found.index);
}
