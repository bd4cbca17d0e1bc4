import * as z from 'zod';
import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { webhookEventTypes } from '../../shared/domain/webhooks/webhook-event.ts';
import { pathRecord } from '../../shared/http/endpoint.ts';
import { id, singleLine, time } from '../../shared/http/schemas.ts';

/** A type of event. */
export const eventType = z.enum(webhookEventTypes).meta({ id: 'WebhookEventType' });

const subscription = z
  .union([eventType, z.literal('*')], 'a type of GET /webhooks/event-types, or * for all')
  .meta({ id: 'WebhookSubscription' });

/** An endpoint in a response. */
export const webhook = z
  .object({
    id,
    url: z.string().meta({ format: 'uri' }),
    description: z.string().nullable(),
    events: z.array(subscription),
    is_active: z.boolean(),
    last_delivered_at: time.nullable(),
    consecutive_failures: z.int(),
  })
  .meta({ id: 'Webhook' });

/** An endpoint with its signing secret. */
export const webhookWithSecret = webhook.extend({ secret: z.string() }).meta({ id: 'WebhookWithSecret' });

/** One attempt at a delivery, in a response. */
export const delivery = z
  .object({
    id,
    event_type: eventType,
    event_id: z.string(),
    payload: z
      .record(z.string(), z.unknown())
      .describe('The whole body that was sent; its `data` is empty if the API key lacks the scope to read it'),
    response_status: z.int().nullable(),
    response_body: z.string().nullable().describe('Its first 1,024 characters'),
    attempt: z.int().min(1).max(8),
    succeeded: z.boolean(),
    error: z.string().nullable().describe('Why it did not succeed, in a few stable words'),
  })
  .meta({ id: 'WebhookDelivery' });

const fields = {
  // Its address is checked last, since that needs a DNS query.
  url: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .refine((url) => !/\p{Cc}/u.test(url), 'must not have control characters'),
  description: singleLine(1_000, 0).nullish(),
  events: z
    .array(subscription)
    .min(1, 'name at least one type, or * for all')
    .max(100, 'at most 100 types')
    .transform((types) => [...new Set(types)]),
};

/** What creation takes. */
export const webhookInput = z.object(fields).meta({ id: 'WebhookInput' });

/** What a PATCH takes; absent fields stay. */
export const webhookPatch = z
  .object(fields)
  .partial()
  .extend({ is_active: z.boolean().optional() })
  .meta({ id: 'WebhookPatch' });

/** `{endpoint}` in a path, and the endpoint that it names, or 404. */
export const [webhookParams, webhookOf] = pathRecord('endpoint', webhooks.find, 'webhook endpoint');
