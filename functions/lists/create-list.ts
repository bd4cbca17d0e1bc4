import * as lists from '../../shared/data/contacts/lists.ts';
import { takeIds } from '../../shared/data/counters.ts';
import { list } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { listBody } from './schemas.ts';

export const createList = endpoint({
  method: 'POST',
  path: '/lists',
  scope: 'contacts:write',
  summary: 'Create a contact list',
  body: listBody,
  response: dataOf(list),

  async handle({ caller: { teamId }, body, operation }) {
    const id = await operation.memoize('list_id', () => takeIds(teamId, 'list'));
    return { data: lists.view(await lists.create(teamId, id, body)) };
  },
});
