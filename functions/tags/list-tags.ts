import * as tags from '../../shared/data/contacts/tags.ts';
import { tag } from '../../shared/http/audience-schemas.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';

export const listTags = endpoint({
  method: 'GET',
  path: '/tags',
  scope: 'contacts:read',
  summary: 'List the tags, newest first',
  query: pageQuery,
  response: pageOf(tag),
  handle: (context) => paginate(context, tags.list(context.caller.teamId), tags.view),
});
