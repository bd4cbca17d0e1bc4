import * as tags from '../../shared/data/contacts/tags.ts';
import { tag } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { tagOf, tagParams } from './schemas.ts';

export const getTag = endpoint({
  method: 'GET',
  path: '/tags/{tag}',
  scope: 'contacts:read',
  summary: 'Fetch one tag',
  params: tagParams,
  response: dataOf(tag),
  handle: async ({ caller, params }) => ({ data: tags.view(await tagOf(caller.teamId, params)) }),
});
