import * as contacts from '../data/contacts.ts';
import type { ListItem } from '../data/lists.ts';
import { joinList } from '../domain/contact.ts';
import { askingLists } from '../domain/opt-in.ts';
import { timestamp } from '../domain/time.ts';
import { changeContacts } from './change-contacts.ts';

/** Puts contacts on a list. `attached` counts the ids that are now on it, `skipped` those that are no live contact's; duplicates count once. */
export async function attachContacts(
  teamId: number,
  list: ListItem,
  contactIds: readonly number[],
): Promise<{ attached: number; skipped: number }> {
  const distinct = [...new Set(contactIds)];
  const possible = distinct.filter((id) => id > 0);
  const emails = (await contacts.emailsOf(teamId, possible)).flatMap((email) => email ?? []);
  const doubleOptIn = askingLists([list]);
  const changed = await changeContacts(teamId, emails, (stored) =>
    stored.map(({ contact }) =>
      contact && !contact.deleted_at ? joinList(contact, list.id, doubleOptIn, timestamp()) : contact,
    ),
  );
  const attached = changed.filter((contact) => contact?.list_ids.includes(list.id)).length;
  return { attached, skipped: distinct.length - attached };
}
