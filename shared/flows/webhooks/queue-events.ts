import { queueWebhooks } from '../../aws/queue.ts';
import type { WebhookItem } from '../../data/webhooks/endpoints.ts';
import { timestamp } from '../../domain/time.ts';
import { covers, type WebhookEvent, webhookEventId } from '../../domain/webhooks/webhook-event.ts';

/** Queues events for the endpoints that subscribe to them: one message per event and endpoint. */
export async function queueEvents(
  teamId: number,
  endpoints: readonly WebhookItem[],
  events: readonly WebhookEvent[],
): Promise<void> {
  const messages = events.flatMap((event) => {
    const body = JSON.stringify(event);
    const wanting = endpoints.filter((endpoint) => covers(endpoint.events, event.type));
    return wanting.map(({ id }) => ({ team_id: teamId, webhook_id: id, event_id: event.id, type: event.type, body }));
  });
  if (messages.length > 0) await queueWebhooks(messages);
}

/** Queues a synthetic event for one endpoint; idempotent within an operation. */
export async function sendTestEvent(
  teamId: number,
  { id }: WebhookItem,
  operation: { id: string; startedAt: Date },
): Promise<void> {
  const type = 'webhook.test';
  const event_id = webhookEventId(teamId, type, id, operation.id);
  const data = { webhook_id: id, message: 'This is a test: nothing happened.' };
  const event: WebhookEvent = { id: event_id, type, created_at: timestamp(operation.startedAt), data };
  await queueWebhooks([{ team_id: teamId, webhook_id: id, event_id, type, body: JSON.stringify(event) }]);
}
