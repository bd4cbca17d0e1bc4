import * as contacts from '../../data/contacts/contacts.ts';
import type { ListItem } from '../../data/contacts/lists.ts';
import { type Contact, contactFault, joinList } from '../../domain/contacts/contact.ts';
import { askingLists } from '../../domain/contacts/opt-in.ts';
import { ValidationError } from '../../domain/errors.ts';
import { timestamp } from '../../domain/time.ts';
import { changeContacts } from './change.ts';

/**
 * Puts contacts on a list. `attached` counts the ids that are on it now, `skipped` those of no live contact; duplicates
 * count once. Throws 422 when a contact is on too many lists.
 */
export async function attachContacts(
  teamId: number,
  list: ListItem,
  contactIds: readonly number[],
): Promise<{ attached: number; skipped: number }> {
  const distinct = [...new Set(contactIds)];
  const possible = distinct.filter((id) => id > 0);
  const emails = (await contacts.emailsOf(teamId, possible)).flatMap((email) => email ?? []);
  const doubleOptIn = askingLists([list]);
  const joined = (contact: Contact): Contact => {
    const after = joinList(contact, list.id, doubleOptIn, timestamp());
    const fault = contactFault(after);
    if (fault) throw new ValidationError({ contact_ids: [`${contact.id}: ${fault.message}`] });
    return after;
  };
  const changed = await changeContacts(teamId, emails, (stored) =>
    stored.map(({ contact }) => (contact && !contact.deleted_at ? joined(contact) : contact)),
  );
  const attached = changed.filter((contact) => contact?.list_ids.includes(list.id)).length;
  return { attached, skipped: distinct.length - attached };
}
