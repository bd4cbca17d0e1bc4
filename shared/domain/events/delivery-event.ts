import { createHash } from 'node:crypto';

/** Every type of delivery event. */
export const eventTypes = [
  'delivered',
  'bounced',
  'deferred',
  'dropped',
  'spam_report',
  'unsubscribed',
  'opened',
  'clicked',
  'queued',
  'sent',
] as const;

/** The type of a delivery event. */
export type EventType = (typeof eventTypes)[number];

/** An event that comes in, from the provider or from `POST /events`. */
export interface IncomingEvent {
  email: string;
  event: EventType;
  campaign_id: number | null;
  contact_id: number | null;
  provider: string | null;
  source: string | null;
  /** Reported by our own provider; absent for a client's event. */
  confirmed?: boolean;
  /** Of a message that no campaign sent and that counts for the team's reputation: transactional, a test, a step. */
  direct?: boolean;
  /** When such a message was sent, by which its outcome counts. */
  sent_at?: string;
  /** The recipient's place in its campaign, where the message carries it. */
  place?: number;
  /** The A/B test variant of its message, where the message carries it. */
  variant?: number;
  metadata: Record<string, unknown>;
  /** When it happened, in the API's timestamp form. */
  occurred_at: string;
}

/** An event's id: the same event reported twice has the same one. */
export function eventId(event: IncomingEvent): number {
  // A machine follows several links at one time: each is a click.
  const { provider_event_id: id, url } = event.metadata;
  const identity =
    typeof id === 'string' && id !== ''
      ? ['id', event.provider, id, event.event, event.email]
      : ['at', event.provider, event.email, event.event, event.campaign_id, event.occurred_at, ...(url ? [url] : [])];
  return createHash('sha256').update(JSON.stringify(identity)).digest().readUIntBE(0, 6);
}

/** Whether a bounce is a soft one. */
export const isSoftBounce = (event: { event: EventType; metadata: Record<string, unknown> }): boolean =>
  event.event === 'bounced' && event.metadata.bounce_type === 'soft';

/** Whether an event counts against the sender's reputation. */
export const isBad = ({ event }: { event: EventType }): boolean => event === 'bounced' || event === 'spam_report';

/** Soft bounces in a row after which an address is suppressed. */
export const softBounceLimit = 5;

/** Days for which events are kept and listed. */
export const retentionDays = 180;
