import type { ListedEvent } from '../../data/feedback/event-listing.ts';
import { view } from '../../data/feedback/event-listing.ts';
import type { WebhookItem } from '../../data/webhooks/endpoints.ts';
import { type WebhookEvent, webhookEventId } from '../../domain/webhooks/webhook-event.ts';
import { queueEvents } from '../webhooks/queue-events.ts';

/** Tells endpoints of delivery events; the same event tells the same however often it comes. */
export function publishEmailEvents(
  teamId: number,
  endpoints: readonly WebhookItem[],
  happened: readonly ListedEvent[],
): Promise<void> {
  const told = happened.map((event): WebhookEvent => {
    const type = `email.${event.event}` as const;
    const { created_at } = event;
    return { id: webhookEventId(teamId, type, event.id), type, created_at, data: view(event) };
  });
  return queueEvents(teamId, endpoints, told);
}
