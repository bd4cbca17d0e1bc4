import * as tags from '../../shared/data/tags.ts';
import { tag } from '../../shared/http/audience-schemas.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { paginate } from '../../shared/http/pagination.ts';
import { pageOf, pageQuery } from '../../shared/http/schemas.ts';

/** The team's tags, newest first. */
export const listTags = endpoint({
  method: 'GET',
  path: '/tags',
  scope: 'contacts:read',
  summary: 'List the tags',
  query: pageQuery,
  response: pageOf(tag),

  handle(exchange) {
    return paginate(exchange, '/tags', tags.list(exchange.caller.teamId), tags.view);
  },
});
