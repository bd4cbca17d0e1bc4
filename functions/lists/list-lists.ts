import * as lists from '../../shared/data/contacts/lists.ts';
import { list } from '../../shared/http/audience-schemas.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';

export const listLists = endpoint({
  method: 'GET',
  path: '/lists',
  scope: 'contacts:read',
  summary: 'List the contact lists, newest first',
  query: pageQuery,
  response: pageOf(list),
  handle: (context) => paginate(context, lists.list(context.caller.teamId), lists.view),
});
