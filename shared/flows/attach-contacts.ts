import { change } from '../data/contact-writes.ts';
import * as contacts from '../data/contacts.ts';
import { join } from '../domain/contact.ts';
import { timestamp } from '../domain/time.ts';

/** Puts contacts on a list. `attached` counts the ids that are now on it, `skipped` those that are no live contact's; duplicates count once. */
export async function attachContacts(
  teamId: number,
  listId: number,
  contactIds: readonly number[],
): Promise<{ attached: number; skipped: number }> {
  const distinct = [...new Set(contactIds)];
  const possible = distinct.filter((id) => id > 0);
  const emails = (await contacts.emailsOf(teamId, possible)).flatMap((email) => email ?? []);
  const changed = await change(teamId, emails, (stored) =>
    stored.map(({ contact }) =>
      contact && !contact.deleted_at ? join(contact, 'list_ids', [listId], timestamp()) : contact,
    ),
  );
  const attached = changed.filter((contact) => contact?.list_ids.includes(listId)).length;
  return { attached, skipped: distinct.length - attached };
}
