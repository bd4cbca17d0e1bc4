import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import { settledTimes } from '../../data/events/rows.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { type FieldErrors, ValidationError } from '../../domain/errors.ts';
import { type EventType, eventId, type IncomingEvent } from '../../domain/events/delivery-event.ts';
import { timestamp } from '../../domain/time.ts';
import { applyEvents } from './apply-events.ts';

/** An event as a client reports it. */
export interface ReportedEvent {
  email: string;
  event: EventType;
  campaign_id?: number | null;
  contact_id?: number | null;
  provider?: string | null;
  source?: string | null;
  metadata?: { occurred_at?: string; provider_event_id?: string } & Record<string, unknown>;
}

/** How far a client's clock may be ahead. */
const skewMs = 60_000;
const concurrency = 16;

/** Applies a client's events; throws 422 before any is applied. */
export async function ingestEvents(teamId: number, reported: readonly ReportedEvent[], now: Date): Promise<void> {
  await checkReported(teamId, reported, now);
  const events = reported.map(
    ({ metadata = {}, ...event }): IncomingEvent => ({
      email: event.email,
      event: event.event,
      campaign_id: event.campaign_id ?? null,
      contact_id: event.contact_id ?? null,
      provider: event.provider || null,
      source: event.source || 'api',
      metadata,
      occurred_at: metadata.occurred_at ?? timestamp(now),
    }),
  );
  // An event with a provider's id keeps its first time, whatever time a repeat has.
  const named = events.filter(({ metadata }) => metadata.provider_event_id);
  const given = named.map((event) => ({ id: eventId(event), at: event.occurred_at }));
  const times = await settledTimes(teamId, given);
  const timed = events.map((event) => ({ ...event, occurred_at: times.get(eventId(event)) ?? event.occurred_at }));
  await applyEvents(teamId, timed);
}

async function checkReported(teamId: number, reported: readonly ReportedEvent[], now: Date): Promise<void> {
  const errors: FieldErrors = {};
  const [known, emails] = await Promise.all([knownCampaigns(teamId, reported), emailsOf(teamId, reported)]);
  for (const [index, { email, campaign_id, contact_id, metadata }] of reported.entries()) {
    const at = metadata?.occurred_at;
    if (campaign_id && !known.has(campaign_id)) errors[`events.${index}.campaign_id`] = ['no such campaign'];
    if (contact_id && emails.get(contact_id) !== email)
      errors[`events.${index}.contact_id`] = [
        emails.has(contact_id) ? 'not the contact with this address' : 'no such contact',
      ];
    if (at && Date.parse(at) > now.getTime() + skewMs)
      errors[`events.${index}.metadata.occurred_at`] = ['must not be in the future'];
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}

async function knownCampaigns(teamId: number, reported: readonly ReportedEvent[]): Promise<Set<number>> {
  const ids = [...new Set(reported.flatMap(({ campaign_id }) => campaign_id ?? []))];
  const found = await concurrently(ids, concurrency, (id) => campaigns.find(teamId, id));
  return new Set(ids.filter((_id, index) => found[index]));
}

async function emailsOf(teamId: number, reported: readonly ReportedEvent[]): Promise<Map<number, string>> {
  const ids = [...new Set(reported.flatMap(({ contact_id }) => contact_id ?? []))];
  const emails = await contacts.emailsOf(teamId, ids);
  return new Map(ids.flatMap((id, index) => (emails[index] ? [[id, emails[index]] as const] : [])));
}
