import type { Contact, ContactStatus } from '../../domain/contacts/contact.ts';
import { type IndexKeys, type Key, keys, padId, partitions } from '../keys.ts';

/** A new contact writes one entry of the order of change, a change two: so many shards take 6,000 changes a second. */
export const changeShards = 12;

/** A contact as it is stored: gsi1 has the live ones in order of change, gsi2 those that are not active by status. */
export interface ContactItem extends Key, IndexKeys, Contact {}

/** The statuses that have an index; most contacts are active, and are found by email as fast. */
export type IndexedStatus = Exclude<ContactStatus, 'active'>;

/** A contact's row with its keys. */
export function toItem(teamId: number, contact: Contact & IndexKeys): ContactItem {
  const { id, status, deleted_at, updated_at } = contact;
  const byStatus = status !== 'active' && !deleted_at;
  const gsi1sk = `${updated_at}#${padId(id)}`;
  // An entry changes its partition only with its position: a sync that reads one of the two now would miss it.
  const stays = contact.gsi1sk === gsi1sk;
  const gsi1pk = stays ? contact.gsi1pk : partitions.contactsByChange(teamId, id % changeShards);
  return {
    ...contact,
    ...keys.contact(teamId, contact.email),
    gsi1pk: deleted_at ? undefined : gsi1pk,
    gsi1sk: deleted_at ? undefined : gsi1sk,
    gsi2pk: byStatus ? partitions.contactsByStatus(teamId, status) : undefined,
    gsi2sk: byStatus ? contact.email : undefined,
  };
}

/** The contact unless it is absent or soft-deleted. */
export function live(item: ContactItem | undefined): ContactItem | undefined {
  return item?.deleted_at ? undefined : item;
}
