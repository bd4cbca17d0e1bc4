import { deleteMembership } from '../../shared/flows/contacts/purge-members.ts';
import { deletion, endpoint } from '../../shared/http/endpoint.ts';
import { tagOf, tagParams } from './schemas.ts';

export const deleteTag = endpoint({
  method: 'DELETE',
  path: '/tags/{tag}',
  scope: 'contacts:write',
  summary: 'Delete a tag, not its contacts',
  params: tagParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    const id = await operation.memoize('tag', async () => (await tagOf(teamId, params)).id);
    await deleteMembership(teamId, 'tag', id);
    return { data: { id, deleted: true } };
  },
});
