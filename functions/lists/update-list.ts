import * as lists from '../../shared/data/contacts/lists.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { list } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { listBody, listOf, listParams } from './schemas.ts';

export const updateList = endpoint({
  method: 'PATCH',
  path: '/lists/{list}',
  scope: 'contacts:write',
  summary: 'Change a contact list',
  params: listParams,
  body: listBody,
  response: dataOf(list),

  async handle({ caller: { teamId }, params, body }) {
    const updated = await lists.update(teamId, await listOf(teamId, params), body);
    return { data: lists.view(orNotFound(updated, 'list')) };
  },
});
