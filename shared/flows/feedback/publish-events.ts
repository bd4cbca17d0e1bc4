import { type ListedEvent, view } from '../../data/feedback/listed-event.ts';
import type { WebhookItem } from '../../data/webhooks/endpoints.ts';
import { type WebhookEvent, webhookEventId } from '../../domain/webhooks/webhook-event.ts';
import { queueEvents } from '../webhooks/queue-events.ts';

/** Publishes delivery events to webhook endpoints; an event published twice has the same id. */
export function publishEmailEvents(
  teamId: number,
  endpoints: readonly WebhookItem[],
  delivered: readonly ListedEvent[],
): Promise<void> {
  const events = delivered.map((event): WebhookEvent => {
    const type = `email.${event.event}` as const;
    const { created_at } = event;
    return { id: webhookEventId(teamId, type, event.id), type, created_at, data: view(event) };
  });
  return queueEvents(teamId, endpoints, events);
}
