import type { Contact, ContactStatus } from '../../domain/contacts/contact.ts';
import { type IndexKeys, type Key, keys, padId, partitions } from '../keys.ts';

/** A contact as it is stored: gsi1 has the live ones in order of change, gsi2 those that are not active by status. */
export interface ContactItem extends Key, IndexKeys, Contact {}

/** The statuses that have an index; most contacts are active, and are found by email as fast. */
export type IndexedStatus = Exclude<ContactStatus, 'active'>;

/** A contact's row with its keys. */
export function toItem(teamId: number, contact: Contact): ContactItem {
  const { status, deleted_at } = contact;
  const byStatus = status !== 'active' && !deleted_at;
  return {
    ...contact,
    ...keys.contact(teamId, contact.email),
    gsi1pk: deleted_at ? undefined : partitions.contactsByChange(teamId),
    gsi1sk: deleted_at ? undefined : `${contact.updated_at}#${padId(contact.id)}`,
    gsi2pk: byStatus ? partitions.contactsByStatus(teamId, status) : undefined,
    gsi2sk: byStatus ? contact.email : undefined,
  };
}

/** The contact unless it is absent or soft-deleted. */
export function live(item: ContactItem | undefined): ContactItem | undefined {
  return item?.deleted_at ? undefined : item;
}
