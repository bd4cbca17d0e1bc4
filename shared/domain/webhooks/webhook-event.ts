import { createHash, randomBytes } from 'node:crypto';
import { type EventType, eventTypes } from '../events/delivery-event.ts';
import type { Scope } from '../teams/scopes.ts';

const deliveryEvents: Record<EventType, string> = {
  queued: 'A message was queued for its recipient',
  sent: 'A message was handed to the mail provider',
  delivered: "The recipient's mail server took a message",
  deferred: "The recipient's mail server puts a message off; it is tried again",
  bounced: 'A message came back; `data.metadata.bounce_type` tells soft from hard',
  dropped: 'A message was not sent on',
  opened: 'A message was opened; `data.is_machine_open` tells whether by a machine',
  clicked: 'A link in a message was clicked; it is in `data.metadata.url`',
  spam_report: 'A recipient reported a message as spam',
  unsubscribed: 'A recipient unsubscribed',
};

const others = {
  'contact.created': 'A contact was created',
  'contact.updated': 'A contact changed: its fields, status, tags or lists',
  'contact.unsubscribed': 'A contact unsubscribed, or was unsubscribed',
  'contact.deleted': 'A contact was deleted or erased',
  'campaign.scheduled': 'A campaign was scheduled',
  'campaign.sending': 'A campaign is being sent, or goes on after a pause',
  'campaign.sent': 'A campaign has been sent',
  'campaign.partial': 'A campaign has been sent, but not to all its recipients',
  'campaign.failed': 'A campaign could not be sent',
  'campaign.held': 'A campaign waits for review',
  'campaign.cancelled': 'A campaign was cancelled',
  'sequence.enrolled': 'A contact entered a sequence',
  'sequence.completed': 'A contact came to the end of a sequence',
  'waitlist.signup': 'Somebody signed up for a waitlist',
  'waitlist.invited': 'Somebody on a waitlist was invited',
  'api_key.expiring': 'An API key expires in seven days',
  'webhook.test': 'A synthetic event, sent on request',
} as const;

/** The type of a webhook event. */
export type WebhookEventType = `email.${EventType}` | keyof typeof others;

/** Every type with its description. */
export const webhookEvents = {
  ...Object.fromEntries(eventTypes.map((type) => [`email.${type}`, deliveryEvents[type]])),
  ...others,
} as Record<WebhookEventType, string>;

/** Every type. */
export const webhookEventTypes = Object.keys(webhookEvents) as WebhookEventType[];

/** What an endpoint subscribes to: types, or `*` for all. */
export type Subscription = WebhookEventType | '*';

/** The body that a receiver gets; `id` is the same at every delivery. */
export interface WebhookEvent {
  id: string;
  type: WebhookEventType;
  created_at: string;
  data: object;
}

/** The scope that reads the record of an event, by the kind that its type begins with. */
const readScopes: Readonly<Record<string, Scope>> = {
  email: 'events:read',
  contact: 'contacts:read',
  waitlist: 'contacts:read',
  campaign: 'campaigns:read',
  sequence: 'campaigns:read',
};

/** The scopes that read what a subscription is sent; `webhook.*` and `api_key.*` need none. */
export function scopesOf(subscribed: readonly Subscription[]): Scope[] {
  const types = subscribed.includes('*') ? webhookEventTypes : subscribed;
  return [...new Set(types.flatMap((type) => readScopes[type.split('.')[0]!] ?? []))];
}

/** Whether a subscription covers a type. */
export const covers = (subscribed: readonly Subscription[], type: WebhookEventType): boolean =>
  subscribed.includes('*') || subscribed.includes(type);

/** Whether one of the endpoints has subscribed to delivery events of a type. */
export const wantsEmail = (endpoints: readonly { events: readonly Subscription[] }[], event: EventType): boolean =>
  endpoints.some(({ events }) => covers(events, `email.${event}`));

/** The id of an event: a hash of what identifies it. */
export function webhookEventId(teamId: number, ...identity: (string | number)[]): string {
  const hash = createHash('sha256').update(JSON.stringify([teamId, ...identity]));
  return `evt_${hash.digest('hex').slice(0, 32)}`;
}

/** A new signing secret. */
export const generateWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Days that deliveries are listed. */
export const deliveryDays = 30;

/** The error word for a response; undefined for 2xx. */
export function statusFault(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  return status >= 300 && status < 400 ? 'redirect not followed' : `status ${status}`;
}
