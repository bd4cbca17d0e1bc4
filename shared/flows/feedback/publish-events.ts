import { type ListedEvent, view } from '../../data/feedback/listed-event.ts';
import type { WebhookItem } from '../../data/webhooks/endpoints.ts';
import { type WebhookEvent, webhookEventId } from '../../domain/webhooks/webhook-event.ts';
import { queueEvents } from '../webhooks/queue-events.ts';

/** A delivery event as webhooks publish it; the same event has the same id however often it comes. */
export function emailWebhookEvent(teamId: number, event: ListedEvent): WebhookEvent {
  const type = `email.${event.event}` as const;
  return { id: webhookEventId(teamId, type, event.id), type, created_at: event.created_at, data: view(event) };
}

/** Publishes delivery events to endpoints. */
export function publishEmailEvents(
  teamId: number,
  endpoints: readonly WebhookItem[],
  events: readonly ListedEvent[],
): Promise<void> {
  const published = events.map((event) => emailWebhookEvent(teamId, event));
  return queueEvents(teamId, endpoints, published);
}
