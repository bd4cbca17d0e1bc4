import * as tags from '../../shared/data/contacts/tags.ts';
import { tag } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { tagBody, tagOf, tagParams } from './schemas.ts';

export const updateTag = endpoint({
  method: 'PATCH',
  path: '/tags/{tag}',
  scope: 'contacts:write',
  summary: 'Rename a tag to a name that no other has',
  params: tagParams,
  body: tagBody,
  response: dataOf(tag),
  handle: async ({ caller: { teamId }, params, body }) => ({
    data: tags.view(await tags.rename(teamId, await tagOf(teamId, params), body.name)),
  }),
});
