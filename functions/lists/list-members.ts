import * as contacts from '../../shared/data/contacts/contacts.ts';
import * as lists from '../../shared/data/contacts/lists.ts';
import { contact } from '../../shared/http/audience-schemas.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { listOf, listParams } from './schemas.ts';

export const listMembers = endpoint({
  method: 'GET',
  path: '/lists/{list}/contacts',
  scope: 'contacts:read',
  summary: 'List the contacts of a list, by email',
  params: listParams,
  query: pageQuery,
  response: pageOf(contact),

  async handle(context) {
    const { teamId } = context.caller;
    const { id } = await listOf(teamId, context.params);
    return paginate(context, lists.members(teamId, id), contacts.view);
  },
});
