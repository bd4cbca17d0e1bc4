import * as contacts from '../../shared/data/contacts/contacts.ts';
import { upsertContacts } from '../../shared/flows/contacts/upsert.ts';
import { contact } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { contactUpsert } from './schemas.ts';

export const upsertContact = endpoint({
  method: 'POST',
  path: '/contacts',
  scope: 'contacts:write',
  summary: 'Create a contact, or update the one with this email address',
  body: contactUpsert,
  response: dataOf(contact),

  async handle({ caller, body, operation }) {
    const [upserted] = await upsertContacts(caller.teamId, operation, [{ path: '', input: body }]);
    return { data: contacts.view(upserted!.contact) };
  },
});
