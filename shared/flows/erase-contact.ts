import * as events from '../data/events.ts';
import * as recipients from '../data/recipients.ts';
import { changeContacts } from './change-contacts.ts';

/**
 * Removes a person for good: events and recipient listings lose the address first, the contact with its id and memberships goes last,
 * so that an erasure cut short can be asked for again. The suppression of the address stays.
 */
export async function eraseContact(
  teamId: number,
  { id, email }: { id: number; email: string },
): Promise<{ contacts_deleted: number; events_anonymized: number }> {
  const events_anonymized = await events.anonymize(teamId, email);
  await recipients.anonymize(teamId, email);
  // Somebody else's new contact on the same address stays.
  await changeContacts(teamId, [email], ([stored]) => [stored!.contact?.id === id ? undefined : stored!.contact]);
  return { contacts_deleted: 1, events_anonymized };
}
