import type { ContactItem } from '../../data/contacts/contacts.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import type { Trigger } from '../../data/sequences/sequences.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import * as signups from '../../data/waitlists/signups.ts';
import type { ContactEvent, DomainEvent, WaitlistEvent } from '../../domain/domain-event.ts';
import { enrolContacts } from './enrol.ts';

/** What a sequence may listen for. */
type Occasion = ContactEvent | WaitlistEvent;

/** Who is enrolled by a notice that came from a trigger, rather than by a request. */
const byTrigger = 'trigger';

/** Enrols contacts into the active sequences that what happened triggers; again enrols nobody twice. */
export async function runTriggers(teamId: number, notices: readonly DomainEvent[]): Promise<void> {
  const occasions = notices.filter(mayTrigger);
  if (occasions.length === 0) return;
  const triggers = await sequences.triggers(teamId);
  if (triggers.length === 0) return;
  const known = await knownContacts(teamId, occasions);
  for (const trigger of triggers) {
    const wanted = await Promise.all(occasions.map((occasion) => triggered(teamId, trigger, occasion, known)));
    const distinct = [...new Set(wanted.flatMap((contact) => contact ?? []))];
    if (distinct.length > 0) await enrolContacts(teamId, trigger.sequence_id, distinct, byTrigger);
  }
}

function mayTrigger(notice: DomainEvent): notice is Occasion {
  if (notice.type === 'waitlist.signup' || notice.type === 'contact.created') return true;
  return notice.type === 'contact.updated' && Boolean(notice.tag_ids ?? notice.list_ids ?? notice.subscribed);
}

/** The live contacts that the notices are about, by address. */
async function knownContacts(
  teamId: number,
  occasions: readonly Occasion[],
): Promise<ReadonlyMap<string, ContactItem>> {
  const addresses = await Promise.all(
    occasions.map(async (occasion) =>
      'email' in occasion ? occasion.email : (await signupOf(teamId, occasion))?.email,
    ),
  );
  const emails = [...new Set(addresses.flatMap((email) => email ?? []))];
  const found = await contacts.batch(teamId, emails);
  return new Map(found.flatMap((contact) => (contact ? [[contact.email, contact] as const] : [])));
}

const signupOf = (teamId: number, { waitlist_id, signup_id }: WaitlistEvent) =>
  signups.find(teamId, waitlist_id, signup_id);

/** The contact that an occasion enrols by a trigger; undefined when it enrols nobody. */
async function triggered(
  teamId: number,
  trigger: Trigger,
  occasion: Occasion,
  known: ReadonlyMap<string, ContactItem>,
): Promise<ContactItem | undefined> {
  if (occasion.type === 'waitlist.signup') {
    if (trigger.type !== 'waitlist_signup' || trigger.record_id !== occasion.waitlist_id) return undefined;
    const signup = await signupOf(teamId, occasion as WaitlistEvent);
    return signup && known.get(signup.email);
  }
  const { email, contact_id, ...change } = occasion as ContactEvent;
  const contact = known.get(email);
  return contact?.id === contact_id && (await concerns(teamId, trigger, change, contact)) ? contact : undefined;
}

/** Whether a contact's change is what a trigger waits for. One that becomes active at last counts with all it is by then. */
async function concerns(
  teamId: number,
  { type, record_id = 0 }: Trigger,
  { type: change, subscribed, tag_ids = [], list_ids = [] }: Pick<ContactEvent, 'type'> & Partial<ContactEvent>,
  contact: ContactItem,
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
