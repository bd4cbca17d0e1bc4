import { deleteMembership } from '../../shared/flows/contacts/purge-members.ts';
import { deleteBy, deletion, endpoint } from '../../shared/http/endpoint.ts';
import { tagOf, tagParams } from './schemas.ts';

export const deleteTag = endpoint({
  method: 'DELETE',
  path: '/tags/{tag}',
  scope: 'contacts:write',
  summary: 'Delete a tag, not its contacts',
  params: tagParams,
  response: deletion,
  handle: deleteBy('tag', tagOf, (teamId, id) => deleteMembership(teamId, 'tag', id)),
});
