import { anonymize as anonymizeRecipient } from '../data/campaigns/recipient-erasure.ts';
import * as contacts from '../data/contacts/contacts.ts';
import * as due from '../data/due-jobs.ts';
import * as events from '../data/feedback/event-erasure.ts';
import { anonymize as anonymizeSubscribers } from '../data/sequences/removal.ts';
import { type AuditWrite, auditWrite } from '../data/teams/audit-log.ts';
import { anonymize as anonymizeSignups } from '../data/waitlists/writes.ts';
import * as deliveries from '../data/webhooks/erasures.ts';
import type { Actor } from '../domain/actor.ts';
import { NotFound } from '../domain/errors.ts';
import type { Operation } from '../domain/operation.ts';
import { timestamp } from '../domain/time.ts';
import { changeContacts } from './contacts/change.ts';

/** A request counts the events for this long: of more it says how many it found. */
const countMs = 3_000;
/** A request erases for this long; its job does the rest. */
const requestMs = 20_000;
/** What began before the contact was removed, such as a batch of feedback, has ended after this time. */
const inFlightMs = 5 * 60_000;

/** An erasure under way. */
type Erasure = Extract<due.Job, { kind: 'erase' }>;

/**
 * Erases a contact, soft-deleted or not; throws 404 when there is none. The contact is gone when this returns.
 * A due job, written first, anonymizes the events that are left. The suppression of the address stays.
 */
export async function eraseContact(
  teamId: number,
  ref: contacts.ContactRef,
  operation: Operation,
  by: Actor,
): Promise<{ contacts_deleted: number; events_anonymized: number; events_exact: boolean }> {
  // What an earlier version memoized was a number that is exact.
  const {
    id,
    events_anonymized,
    events_exact = true,
  } = await operation.memoize('person', async () => {
    const found = await contacts.findStored(teamId, ref);
    if (!found) throw new NotFound('contact');
    const { count, exact } = await events.countOf(teamId, found.email, countMs);
    return { id: found.id, events_anonymized: count, events_exact: exact };
  });
  const person = await contacts.findStored(teamId, id);
  const row = auditWrite(teamId, by, 'contact.erased', id);
  if (person)
    await begin({ kind: 'erase', team_id: teamId, contact_id: id, email: person.email, at: timestamp() }, row);
  return { contacts_deleted: 1, events_anonymized, events_exact };
}

async function begin(erasure: Erasure, row: AuditWrite): Promise<void> {
  const job = await due.schedule(erasure, new Date(Date.now() + 2 * requestMs), row);
  const next = await continueErasure(erasure, Date.now() + requestMs);
  if (next) await due.postpone(job, next.afterMs, { cursor: next.cursor });
  else await due.finish(job);
}

/** The cursor of an erasure that is done with all campaigns: after the position of every one. */
const afterCampaigns = '~';

/** Continues an erasure until the deadline. */
export async function continueErasure(erasure: Erasure, deadline: number): Promise<due.Next> {
  const { team_id: teamId, contact_id, email, at } = erasure;
  await anonymizeSignups(teamId, email, at);
  await anonymizeSubscribers(teamId, { id: contact_id, email });
  const reached = await anonymizeRecipient(teamId, { email, contact_id }, erasure.cursor, deadline);
  await deliveries.mark(teamId, erasure);
  const begun = timestamp();
  const [another] = await changeContacts(teamId, [email], ([stored]) => [
    stored!.contact?.id === contact_id ? undefined : stored!.contact,
  ]);
  // It may have been enrolled while it was still there.
  await anonymizeSubscribers(teamId, { id: contact_id, email });
  if (reached !== undefined) return { afterMs: 0, cursor: reached };
  // Events since another contact got the address are the other contact's.
  const before = another?.created_at ?? begun;
  const eventsDone = await events.anonymize(teamId, email, before, deadline);
  const deliveriesDone = await deliveries.anonymize(teamId, email, before, deadline);
  if (!eventsDone || !deliveriesDone) return { afterMs: 0, cursor: afterCampaigns };
  // Once more, from the first campaign on.
  const inFlight = Date.parse(at) + inFlightMs - Date.now();
  return inFlight > 0 ? { afterMs: inFlight } : undefined;
}
