import * as contacts from '../../data/contacts/contacts.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import * as signups from '../../data/waitlists/signups.ts';
import type { ContactEvent, DomainEvent, WaitlistEvent } from '../../domain/domain-event.ts';
import { enrolContacts } from './enrol.ts';

/** An event that can trigger a sequence. */
type TriggerEvent = ContactEvent | WaitlistEvent;

/** Stored as `enrolled_by` in place of the id of a request's operation. */
const byTrigger = 'trigger';

/** Enrols contacts into the active sequences that the events trigger; a repetition enrols nobody twice. */
export async function runTriggers(teamId: number, all: readonly DomainEvent[]): Promise<void> {
  const events = all.filter(mayTrigger);
  if (events.length === 0) return;
  const triggers = await sequences.triggers(teamId);
  if (triggers.length === 0) return;
  const known = await knownContacts(teamId, events);
  for (const trigger of triggers) {
    const wanted = await Promise.all(events.map((event) => triggered(teamId, trigger, event, known)));
    const distinct = [...new Set(wanted.flatMap((contact) => contact ?? []))];
    if (distinct.length > 0) await enrolContacts(teamId, trigger.sequence_id, distinct, byTrigger);
  }
}

function mayTrigger(event: DomainEvent): event is TriggerEvent {
  if (event.type === 'waitlist.signup' || event.type === 'contact.created') return true;
  return event.type === 'contact.updated' && Boolean(event.tag_ids ?? event.list_ids ?? event.subscribed);
}

/** The live contacts of the events, by address. */
async function knownContacts(
  teamId: number,
  events: readonly TriggerEvent[],
): Promise<ReadonlyMap<string, contacts.ContactItem>> {
  const addresses = await Promise.all(
    events.map(async (event) => ('email' in event ? event.email : (await signupOf(teamId, event))?.email)),
  );
  return contacts.byAddress(teamId, [...new Set(addresses.flatMap((email) => email ?? []))]);
}

const signupOf = (teamId: number, { waitlist_id, signup_id }: WaitlistEvent) =>
  signups.find(teamId, waitlist_id, signup_id);

/** The contact that an event enrols through a trigger; undefined when it enrols nobody. */
async function triggered(
  teamId: number,
  trigger: sequences.Trigger,
  event: TriggerEvent,
  known: ReadonlyMap<string, contacts.ContactItem>,
): Promise<contacts.ContactItem | undefined> {
  if (event.type === 'waitlist.signup') {
    if (trigger.type !== 'waitlist_signup' || trigger.record_id !== event.waitlist_id) return undefined;
    const signup = await signupOf(teamId, event as WaitlistEvent);
    return signup && known.get(signup.email);
  }
  const { email, contact_id, ...change } = event as ContactEvent;
  const contact = known.get(email);
  return contact?.id === contact_id && (await concerns(teamId, trigger, change, contact)) ? contact : undefined;
}

/** Whether a change matches a trigger; a newly active contact matches by all its tags, lists and waitlists. */
async function concerns(
  teamId: number,
  { type, record_id = 0 }: sequences.Trigger,
  { type: change, subscribed, tag_ids = [], list_ids = [] }: Pick<ContactEvent, 'type'> & Partial<ContactEvent>,
  contact: contacts.ContactItem,
): Promise<boolean> {
  const begins = change === 'contact.created' || subscribed === true;
  switch (type) {
    case 'contact_created':
      return begins;
    case 'tag_added':
      return (subscribed ? contact.tag_ids : tag_ids).includes(record_id);
    case 'list_joined':
      return (subscribed ? contact.list_ids : list_ids).includes(record_id);
    case 'waitlist_signup': {
      const signup = begins ? await signups.findByEmail(teamId, record_id, contact.email) : undefined;
      return signup !== undefined && signup.status !== 'removed';
    }
    case 'manual':
      return false;
  }
}
