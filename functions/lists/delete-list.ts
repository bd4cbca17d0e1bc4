import { deleteMembership } from '../../shared/flows/contacts/purge-members.ts';
import { deleteBy, deletion, endpoint } from '../../shared/http/endpoint.ts';
import { listOf, listParams } from './schemas.ts';

export const deleteList = endpoint({
  method: 'DELETE',
  path: '/lists/{list}',
  scope: 'contacts:write',
  summary: 'Delete a contact list, not its contacts; the default list stays',
  params: listParams,
  response: deletion,
  handle: deleteBy('list', listOf, (teamId, id) => deleteMembership(teamId, 'list', id)),
});
