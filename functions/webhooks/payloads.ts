import * as z from 'zod';
import { type WebhookEventType, webhookEvents, webhookEventTypes } from '../../shared/domain/webhooks/webhook-event.ts';
import { contact } from '../../shared/http/audience-schemas.ts';
import { address, id, time } from '../../shared/http/schemas.ts';
import { apiKey } from '../api-keys/schemas.ts';
import { campaign } from '../campaigns/schemas.ts';
import { deliveryEvent } from '../events/schemas.ts';
import { subscriber } from '../sequences/schemas.ts';
import { signup } from '../waitlists/schemas.ts';

const deletedContact = z.object({ id, email: address }).meta({ id: 'DeletedContact' });
const waitlistSignup = signup.extend({ waitlist_id: id }).meta({ id: 'WebhookWaitlistSignup' });
const enrollment = subscriber.extend({ sequence_id: id }).meta({ id: 'WebhookEnrollment' });
const test = z.object({ webhook_id: id, message: z.string() }).meta({ id: 'WebhookTest' });

const dataByKind = {
  email: deliveryEvent,
  contact,
  campaign,
  sequence: enrollment,
  waitlist: waitlistSignup,
  api_key: apiKey,
  webhook: test,
};

/** The record that an event carries as `data`. */
function dataOf(type: WebhookEventType): z.ZodType {
  if (type === 'contact.deleted') return deletedContact;
  const [kind] = type.split('.') as [keyof typeof dataByKind];
  return dataByKind[kind];
}

const eventId = z.string().meta({
  description: 'The same at every attempt, and should the event come twice',
  example: 'evt_0f8b7c1d2e3f4a5b6c7d8e9f0a1b2c3d',
});

/** `contact.created` as `ContactCreatedEvent`. */
const nameOf = (type: WebhookEventType): string =>
  `${type.replace(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Event`;

const bodyOf = (type: WebhookEventType) =>
  z.object({ id: eventId, type: z.literal(type), created_at: time, data: dataOf(type) }).meta({ id: nameOf(type) });

/** The bodies that receivers get, by type: for the OpenAPI document. */
export const webhookPayloads = webhookEventTypes.map((type) => ({
  type,
  description: webhookEvents[type],
  body: bodyOf(type),
}));
