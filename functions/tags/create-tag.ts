import * as tags from '../../shared/data/contacts/tags.ts';
import { takeIds } from '../../shared/data/counters.ts';
import { tag } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { tagBody } from './schemas.ts';

export const createTag = endpoint({
  method: 'POST',
  path: '/tags',
  scope: 'contacts:write',
  summary: 'Create a tag under a name that no other has',
  body: tagBody,
  response: dataOf(tag),

  async handle({ caller: { teamId }, body, operation }) {
    const id = await operation.memoize('tag_id', () => takeIds(teamId, 'tag'));
    return { data: tags.view(await tags.create(teamId, id, body.name)) };
  },
});
