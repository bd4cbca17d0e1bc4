import * as contacts from '../../shared/data/contacts/contacts.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { patchContact } from '../../shared/flows/contacts/patch.ts';
import { contact } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { contactOf, contactParams, contactPatch } from './schemas.ts';

export const updateContact = endpoint({
  method: 'PATCH',
  path: '/contacts/{contact}',
  scope: 'contacts:write',
  summary: 'Change a contact: metadata merges, tags and lists replace',
  params: contactParams,
  body: contactPatch,
  response: dataOf(contact),

  async handle({ caller: { teamId }, params, body, actor }) {
    const changed = await patchContact(teamId, await contactOf(teamId, params), body, actor);
    return { data: contacts.view(orNotFound(changed, 'contact')) };
  },
});
