import { deleteMembership } from '../../shared/flows/contacts/purge-members.ts';
import { deletion, endpoint } from '../../shared/http/endpoint.ts';
import { listOf, listParams } from './schemas.ts';

export const deleteList = endpoint({
  method: 'DELETE',
  path: '/lists/{list}',
  scope: 'contacts:write',
  summary: 'Delete a contact list, not its contacts; the default list stays',
  params: listParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    const id = await operation.memoize('list', async () => (await listOf(teamId, params)).id);
    await deleteMembership(teamId, 'list', id);
    return { data: { id, deleted: true } };
  },
});
