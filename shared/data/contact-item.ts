import type { Contact } from '../domain/contact.ts';
import { keys, padId, partitions } from './keys.ts';

/** A contact as it lies in the table; a soft-deleted one is not in gsi1, the order of change. */
export type ContactItem = Contact & { pk: string; sk: string; gsi1pk?: string; gsi1sk?: string };

/** A contact's row with its keys. */
export function toItem(teamId: number, contact: Contact): ContactItem {
  const indexed = !contact.deleted_at;
  return {
    ...contact,
    ...keys.contact(teamId, contact.email),
    gsi1pk: indexed ? partitions.contactsByChange(teamId) : undefined,
    gsi1sk: indexed ? `${contact.updated_at}#${padId(contact.id)}` : undefined,
  };
}

/** The contact unless it is absent or soft-deleted. */
export function live(item: ContactItem | undefined): ContactItem | undefined {
  return item?.deleted_at ? undefined : item;
}
