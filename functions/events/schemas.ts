import * as z from 'zod';
import { eventTypes } from '../../shared/domain/events/delivery-event.ts';
import {
  address,
  email,
  id,
  jsonObject,
  metadata,
  recordId,
  singleLine,
  time,
  timestampInput,
} from '../../shared/http/schemas.ts';
import { worded } from '../../shared/http/validation.ts';

/** The type of a delivery event. */
export const eventType = z.enum(eventTypes).meta({ id: 'DeliveryEventType' });

/** An event in a response. */
export const deliveryEvent = z
  .object({
    id,
    email: address,
    event: eventType,
    campaign_id: id.nullable(),
    contact_id: id.nullable(),
    provider: z.string().nullable(),
    source: z.string().nullable(),
    is_machine_open: z.boolean(),
    metadata: jsonObject,
    created_at: time.nullable(),
  })
  .meta({ id: 'DeliveryEvent' });

/** The keys of an event's metadata with a meaning; others are stored as they are. */
const knownMetadata = z.object({
  url: z.string().max(2_048, 'at most 2,048 characters').optional().describe('The link of a click'),
  occurred_at: timestampInput.optional().describe('When it happened; now, unless given, and not in the future'),
  provider_event_id: singleLine(255).optional().describe('An event that comes again under it counts once'),
  user_agent: z.string().max(1_000, 'at most 1,000 characters').optional(),
  ip: z.string().max(45, 'at most 45 characters').optional(),
  bot: z.boolean().optional().describe('Whether a machine opened or clicked'),
  bounce_type: z.enum(['hard', 'soft']).optional().describe('A bounce is hard unless it says soft'),
});

/** All keys as they came, those with a meaning in their own form. */
const eventMetadata = metadata.transform((given, context) => {
  const known = knownMetadata.safeParse(given, { error: worded });
  if (known.success) return { ...given, ...known.data };
  context.issues.push(...known.error.issues.map((issue) => ({ ...issue, code: 'custom' as const, input: given })));
  return z.NEVER;
});

/** An event as a client reports it. */
export const eventInput = z
  .object({
    email,
    event: eventType,
    campaign_id: recordId.nullish(),
    contact_id: recordId.nullish(),
    provider: singleLine(100, 0).nullish(),
    source: singleLine(100, 0).nullish(),
    metadata: eventMetadata.optional(),
  })
  .meta({ id: 'DeliveryEventInput' });
