import * as campaigns from '../../data/campaigns/campaigns.ts';
import type * as contacts from '../../data/contacts/contacts.ts';
import * as deliveries from '../../data/events/deliveries.ts';
import { delivered } from '../../data/feedback/native-events.ts';
import type { WebhookItem } from '../../data/webhooks/endpoints.ts';
import { erasedEmail } from '../../domain/email-address.ts';
import { type IncomingEvent, isSoftBounce } from '../../domain/events/delivery-event.ts';
import { wantsEmail } from '../../domain/webhooks/webhook-event.ts';
import { isErased } from './is-erased.ts';
import { publishEmailEvents } from './publish-events.ts';

/** The delivery of a campaign's message, reported by the provider: it is stored by its place, packed with others. */
type PackedDelivery = IncomingEvent & { campaign_id: number; place: number };

/** Whether an event is packed. */
export const isPacked = (event: IncomingEvent): event is PackedDelivery =>
  event.event === 'delivered' && event.confirmed === true && event.campaign_id !== null && event.place !== undefined;

const byCampaign = (events: readonly IncomingEvent[]) => Map.groupBy(events.filter(isPacked), (one) => one.campaign_id);

/** The packed deliveries of a batch that end a row of soft bounces of their contact, and are not stored yet. */
export async function endingSoftBounces(
  teamId: number,
  incoming: readonly IncomingEvent[],
  known: ReadonlyMap<string, contacts.ContactItem>,
): Promise<Set<IncomingEvent>> {
  const bounced = new Set(incoming.filter(isSoftBounce).map(({ email }) => email));
  const mayEnd = ({ email }: IncomingEvent) => bounced.has(email) || (known.get(email)?.soft_bounce_count ?? 0) > 0;
  const ending = new Set<IncomingEvent>();
  for (const [campaignId, own] of byCampaign(incoming.filter(mayEnd))) {
    const places = own.map(({ place }) => place);
    const [stored, campaign] = await Promise.all([
      deliveries.timesOf(teamId, campaignId, places),
      campaigns.find(teamId, campaignId),
    ]);
    for (const event of own)
      if (!stored.has(event.place) && !(await isErased(teamId, event, known.get(event.email), campaign)))
        ending.add(event);
  }
  return ending;
}

/** Stores and counts the packed deliveries of a batch, one per place, and publishes them. */
export async function applyDeliveries(
  teamId: number,
  incoming: readonly IncomingEvent[],
  endpoints: readonly WebhookItem[],
): Promise<void> {
  const publish = wantsEmail(endpoints, 'delivered');
  for (const [campaignId, own] of byCampaign(incoming)) {
    const arrived = own.map(({ place, occurred_at }) => ({ place, at: occurred_at }));
    const unpublished = await deliveries.store(teamId, campaignId, arrived, publish);
    if (unpublished.length === 0) continue;
    const events = await delivered(teamId, campaignId, unpublished);
    await publishEmailEvents(
      teamId,
      endpoints,
      events.filter(({ email }) => email !== erasedEmail),
    );
    await deliveries.markPublished(
      teamId,
      campaignId,
      unpublished.map(({ place }) => place),
    );
  }
}
