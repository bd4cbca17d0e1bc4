import * as contacts from '../../shared/data/contacts/contacts.ts';
import { contact } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { contactOf, contactParams } from './schemas.ts';

export const getContact = endpoint({
  method: 'GET',
  path: '/contacts/{contact}',
  scope: 'contacts:read',
  summary: 'Fetch one contact by id or email address',
  params: contactParams,
  response: dataOf(contact),
  handle: async ({ caller, params }) => ({ data: contacts.view(await contactOf(caller.teamId, params)) }),
});
