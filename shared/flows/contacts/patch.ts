import type { ContactItem } from '../../data/contacts/contact-item.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import type { Actor } from '../../domain/actor.ts';
import {
  applyPatch,
  type Contact,
  type ContactPatch,
  checked,
  type DoubleOptIn,
} from '../../domain/contacts/contact.ts';
import { askingLists } from '../../domain/contacts/opt-in.ts';
import { timestamp } from '../../domain/time.ts';
import { changeContact } from './change.ts';
import { findReferences } from './find-references.ts';

/**
 * Applies a patch to a live contact; undefined when it is gone. Unsubscribing also suppresses the address, activating
 * lifts that suppression: nothing is mailed until both writes are done. Throws 422 before any write.
 */
export async function patchContact(
  teamId: number,
  contact: ContactItem,
  patch: ContactPatch,
  by: Actor,
): Promise<ContactItem | undefined> {
  const { lists } = await findReferences(teamId, {
    tags: [{ path: 'tag_ids', ids: patch.tag_ids }],
    lists: [{ path: 'list_ids', ids: patch.list_ids }],
  });
  const doubleOptIn = askingLists(lists.values());
  patched(contact, patch, doubleOptIn);
  const { email } = contact;
  if (patch.status === 'unsubscribed') await suppressions.add(teamId, { email, reason: 'unsubscribe', source: 'api' });
  const changed = await changeContact(teamId, email, (current) => patched(current, patch, doubleOptIn));
  if (changed && patch.status === 'active') await suppressions.remove(teamId, email, 'unsubscribe', by);
  return changed;
}

function patched(contact: ContactItem, patch: ContactPatch, doubleOptIn: DoubleOptIn): Contact {
  return checked(applyPatch(contact, patch, doubleOptIn, timestamp()));
}
