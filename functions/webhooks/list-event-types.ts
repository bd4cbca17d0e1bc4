import * as z from 'zod';
import { webhookEvents, webhookEventTypes } from '../../shared/domain/webhooks/webhook-event.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { eventType } from './schemas.ts';

export const listEventTypes = endpoint({
  method: 'GET',
  path: '/webhooks/event-types',
  scope: 'webhooks:read',
  summary: 'List every type of event that an endpoint can subscribe to',
  response: dataOf(z.array(z.object({ type: eventType, description: z.string() }))),
  handle: () => ({ data: webhookEventTypes.map((type) => ({ type, description: webhookEvents[type] })) }),
});
