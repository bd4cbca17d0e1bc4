import type { ContactItem } from '../data/contact-item.ts';
import { changeOne } from '../data/contact-writes.ts';
import * as suppressions from '../data/suppressions.ts';
import { applyPatch, type Contact, type ContactPatch, contactFault } from '../domain/contact.ts';
import { ValidationError } from '../domain/errors.ts';
import { timestamp } from '../domain/time.ts';
import { findReferences } from './find-references.ts';

/**
 * Applies a patch to a live contact; undefined when it is gone. Unsubscribing also suppresses the address, and activating lifts that
 * suppression and no other. The order keeps an address off every send until both are done. Throws 422 before anything is written.
 */
export async function patchContact(
  teamId: number,
  contact: ContactItem,
  patch: ContactPatch,
): Promise<ContactItem | undefined> {
  await findReferences(teamId, {
    tags: [{ path: 'tag_ids', ids: patch.tag_ids }],
    lists: [{ path: 'list_ids', ids: patch.list_ids }],
  });
  patched(contact, patch);
  const { email } = contact;
  if (patch.status === 'unsubscribed') await suppressions.add(teamId, { email, reason: 'unsubscribe', source: 'api' });
  const changed = await changeOne(teamId, email, (current) => patched(current, patch));
  if (changed && patch.status === 'active') await suppressions.remove(teamId, email, 'unsubscribe');
  return changed;
}

function patched(contact: ContactItem, patch: ContactPatch): Contact {
  const after = applyPatch(contact, patch, timestamp());
  const fault = contactFault(after);
  if (fault) throw new ValidationError({ [fault.field]: [fault.message] });
  return after;
}
