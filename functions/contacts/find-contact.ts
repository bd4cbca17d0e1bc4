import * as contacts from '../../shared/data/contacts/contacts.ts';
import { orNotFound } from '../../shared/domain/errors.ts';

/** The live contact that a path names, or 404. */
export async function contactOf(
  teamId: number,
  params: { contact: contacts.ContactRef },
): Promise<contacts.ContactItem> {
  return orNotFound(await contacts.find(teamId, params.contact), 'contact');
}
