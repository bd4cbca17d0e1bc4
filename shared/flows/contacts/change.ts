import { type ContactItem, live } from '../../data/contacts/contact-item.ts';
import { change, type Decision } from '../../data/contacts/writes.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';

/** Changes contacts as `decide` says and publishes the changes; returns the contacts in the order of `emails`. */
export async function changeContacts(
  teamId: number,
  emails: readonly string[],
  decide: Decision,
): Promise<(ContactItem | undefined)[]> {
  const { contacts, outbox } = await change(teamId, emails, decide);
  await publishDomainEvents(outbox);
  return contacts;
}

/** Changes one live contact by a pure rule; undefined when there is none. */
export async function changeContact(
  teamId: number,
  email: string,
  rule: (contact: ContactItem) => Contact,
): Promise<ContactItem | undefined> {
  const [changed] = await changeContacts(teamId, [email], ([stored]) => {
    const contact = stored!.contact;
    return [contact && (contact.deleted_at ? contact : rule(contact))];
  });
  return live(changed);
}
