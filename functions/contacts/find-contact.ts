import * as contacts from '../../shared/data/contacts/contacts.ts';
import { NotFound } from '../../shared/domain/errors.ts';

/** The live contact that a path names, or 404. */
export async function contactOf(
  teamId: number,
  params: { contact: contacts.ContactRef },
): Promise<contacts.ContactItem> {
  const found = await contacts.find(teamId, params.contact);
  if (!found) throw new NotFound('contact');
  return found;
}
