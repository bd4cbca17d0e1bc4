import * as z from 'zod';
import * as contacts from '../../shared/data/contacts/contacts.ts';
import { exit } from '../../shared/data/sequences/moves.ts';
import * as subscribers from '../../shared/data/sequences/subscribers.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { dataOf, endpoint, idParams } from '../../shared/http/endpoint.ts';
import { id } from '../../shared/http/schemas.ts';
import { sequenceOf } from './schemas.ts';

export const removeSubscriber = endpoint({
  method: 'DELETE',
  path: '/sequences/{sequence}/subscribers/{contact}',
  scope: 'contacts:write',
  summary: 'Stop the pending steps of a contact; `removed` is false when it waits for none',
  params: idParams('sequence', 'contact'),
  response: dataOf(z.object({ sequence_id: id, contact_id: id, removed: z.boolean() })),

  async handle({ caller: { teamId }, params, operation }) {
    const sequence = await sequenceOf(teamId, params);
    const contact = orNotFound(await contacts.find(teamId, params.contact), 'contact');
    const row = await subscribers.find(teamId, sequence.id, contact.email);
    const removed = await operation.memoize('removed', () => row?.status === 'active');
    if (removed) await exit(teamId, sequence.id, contact.email, 'removed');
    return { data: { sequence_id: sequence.id, contact_id: contact.id, removed } };
  },
});
