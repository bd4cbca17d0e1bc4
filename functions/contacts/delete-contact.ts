import { softDelete } from '../../shared/domain/contacts/contact.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { changeContact } from '../../shared/flows/contacts/change.ts';
import { deletion, endpoint } from '../../shared/http/endpoint.ts';
import { contactOf, contactParams } from './schemas.ts';

export const deleteContact = endpoint({
  method: 'DELETE',
  path: '/contacts/{contact}',
  scope: 'contacts:write',
  summary: 'Hide a contact everywhere until an upsert on its address restores it',
  params: contactParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    const { id, email } = await operation.memoize('contact', async () => {
      const found = await contactOf(teamId, params);
      return { id: found.id, email: found.email };
    });
    await changeContact(teamId, email, (contact) => (contact.id === id ? softDelete(contact, timestamp()) : contact));
    return { data: { id, deleted: true } };
  },
});
