import type * as contacts from '../../data/contacts/contacts.ts';
import * as rows from '../../data/events/rows.ts';
import type { ListedEvent } from '../../data/feedback/listed-event.ts';
import { counting } from '../../data/messages/direct-outcomes.ts';
import type * as webhooks from '../../data/webhooks/endpoints.ts';
import { erasedEmail } from '../../domain/email-address.ts';
import { eventId, type IncomingEvent, isBad, isSoftBounce } from '../../domain/events/delivery-event.ts';
import { machineReason, openedTooSoon, tooSoonReason } from '../../domain/events/machine-engagement.ts';
import { wantsEmail } from '../../domain/webhooks/webhook-event.ts';
import { applyEffects, type Stored, type Subject } from './apply-effects.ts';
import { applyToContact } from './apply-to-contact.ts';
import type { Delta } from './campaign-counts.ts';
import { isErased } from './is-erased.ts';

/** What a batch still has to do once all its events are applied, by event id. */
export interface Pending {
  /** Events that webhooks subscribe to. */
  unpublished: Map<number, ListedEvent>;
  /** Opens that may have been counted as human. */
  opened: Map<number, IncomingEvent>;
}

/** The context of an event: contact, campaign, other events of its address, webhooks. */
interface Context extends Subject {
  batch: readonly IncomingEvent[];
  /** When the messages of opens were delivered, where that is packed. */
  delivered: ReadonlyMap<IncomingEvent, string>;
  endpoints: readonly webhooks.WebhookItem[];
  pending: Pending;
}

/** Applies an event; returns its counts, none for a duplicate, `doubtful` when a lost answer hides which. */
export async function applyEvent(
  teamId: number,
  event: IncomingEvent,
  { contact, counts, batch, delivered, endpoints, pending }: Context,
): Promise<Delta | 'doubtful'> {
  // Other deliveries are looked for once the open is written.
  const judged = machineReason(event, deliveredBeside(event, batch) ?? delivered.get(event));
  const id = eventId(event);
  if (await isErased(teamId, event, contact, counts?.campaign))
    return storeErased(teamId, event, id, judged === undefined);
  const repeatable = event.event === 'opened' || event.event === 'clicked';
  const marked = !repeatable && actsOnContact(event, contact, batch);
  const row = {
    ...rowOf(event, id),
    contact_id: event.contact_id ?? contact?.id ?? null,
    is_machine_open: event.event === 'opened' && judged !== undefined,
    ...(judged && { machine_reason: judged }),
    ...(marked && { applying: true }),
    ...(wantsEmail(endpoints, event.event) && { untold: true }),
  };
  const stored = await rows.store(teamId, row, badOutcome(teamId, event));
  const now: Stored = stored.fresh ? row : stored.known;
  if (now.untold) pending.unpublished.set(id, now);
  // The first event's verdict stands. A copy of an open or click applies it again, which changes nothing; other events
  // that act on a contact do so again only where the first was cut off.
  const same = now.campaign_id === event.campaign_id && now.email === event.email;
  const known = !stored.fresh && !(repeatable ? same : now.applying);
  // Another worker may have judged a known open after it was counted.
  const maybeCounted = !now.is_machine_open || (!stored.fresh && now.machine_reason === tooSoonReason);
  if (!known && event.event === 'opened' && maybeCounted) pending.opened.set(id, event);
  const effects = known ? {} : await applyEffects(teamId, event, id, now, { contact, counts });
  if (now.applying) await rows.applied(teamId, now);
  // The worker that wrote a delivery's row counts it, or leaves its recount job; a worker that completes it does not.
  const another = !stored.fresh && (known || event.event === 'delivered');
  return !another ? effects : stored.doubtful ? 'doubtful' : {};
}

/** Stores an erased recipient's event without the address; a bounce or complaint still suppresses the address. */
async function storeErased(
  teamId: number,
  event: IncomingEvent,
  id: number,
  human: boolean,
): Promise<Delta | 'doubtful'> {
  await applyToContact(teamId, event, id, undefined, human);
  const row = {
    ...rowOf(event, id),
    email: erasedEmail,
    contact_id: null,
    metadata: {},
    is_machine_open: event.event === 'opened' && !human,
  };
  const stored = await rows.store(teamId, row, badOutcome(teamId, event));
  if (!stored.fresh) return stored.doubtful ? 'doubtful' : {};
  return event.event === 'delivered' ? { delivered: 1 } : {};
}

/** The write that counts a bounce or complaint of a message that no campaign counts. */
function badOutcome(teamId: number, event: IncomingEvent) {
  if (!event.direct || !isBad(event)) return undefined;
  return counting(
    teamId,
    event.event === 'bounced' ? { bounced: 1 } : { complained: 1 },
    event.sent_at ?? event.occurred_at,
  );
}

const rowOf = (event: IncomingEvent, id: number) => ({
  id,
  email: event.email,
  event: event.event,
  campaign_id: event.campaign_id,
  provider: event.provider,
  source: event.source,
  ...(event.confirmed && { confirmed: true }),
  metadata: event.metadata,
  created_at: event.occurred_at,
});

/** Whether an event acts on its contact; a delivery does after soft bounces, also those of this batch. */
function actsOnContact(
  { event }: IncomingEvent,
  contact: contacts.ContactItem | undefined,
  batch: readonly IncomingEvent[],
): boolean {
  if (event === 'delivered')
    return contact !== undefined && (contact.soft_bounce_count > 0 || batch.some(isSoftBounce));
  return event === 'bounced' || event === 'spam_report' || event === 'unsubscribed';
}

/** When the message of an open was delivered, if the same batch says so. */
function deliveredBeside(event: IncomingEvent, batch: readonly IncomingEvent[]): string | undefined {
  if (event.event !== 'opened') return undefined;
  const beside = batch.find(
    (other) =>
      other.event === 'delivered' &&
      other.campaign_id === event.campaign_id &&
      openedTooSoon(event.occurred_at, other.occurred_at),
  );
  return beside?.occurred_at;
}
