import * as z from 'zod';
import * as contacts from '../../shared/data/contacts/contacts.ts';
import { leave } from '../../shared/domain/contacts/contact.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { changeContact } from '../../shared/flows/contacts/change.ts';
import { dataOf, endpoint, idParams } from '../../shared/http/endpoint.ts';
import { id } from '../../shared/http/schemas.ts';
import { listOf } from './schemas.ts';

export const detachContact = endpoint({
  method: 'DELETE',
  path: '/lists/{list}/contacts/{contact}',
  scope: 'contacts:write',
  summary: 'Take a contact off a list; `detached` is false when it was not on it',
  params: idParams('list', 'contact'),
  response: dataOf(z.object({ list_id: id, contact_id: id, detached: z.boolean() })),

  async handle({ caller: { teamId }, params, operation }) {
    const list = await listOf(teamId, params);
    const contact = orNotFound(await contacts.find(teamId, params.contact), 'contact');
    const detached = await operation.memoize('detached', () => contact.list_ids.includes(list.id));
    await changeContact(teamId, contact.email, (current) => leave(current, 'list_ids', list.id, timestamp()));
    return { data: { list_id: list.id, contact_id: contact.id, detached } };
  },
});
