import * as lists from '../../shared/data/contacts/lists.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { list } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { listParams } from './schemas.ts';

export const getList = endpoint({
  method: 'GET',
  path: '/lists/{list}',
  scope: 'contacts:read',
  summary: 'Fetch one contact list',
  params: listParams,
  response: dataOf(list),
  handle: async ({ caller, params }) => ({
    data: lists.view(orNotFound(await lists.find(caller.teamId, params.list), 'list')),
  }),
});
