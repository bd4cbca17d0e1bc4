import * as contacts from '../../data/contacts/contacts.ts';

/** The live contacts that ids and normalized emails name, each once; unknown ones are left out. */
export async function matchContacts(
  teamId: number,
  { contact_ids = [], emails = [] }: { contact_ids?: readonly number[]; emails?: readonly string[] },
): Promise<contacts.ContactItem[]> {
  const byId = (await contacts.emailsOf(teamId, contact_ids)).flatMap((email) => email ?? []);
  const found = await contacts.batch(teamId, [...new Set([...byId, ...emails])]);
  return found.flatMap((contact) => contact ?? []);
}
