import * as apiKeys from '../../shared/data/teams/api-keys.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { apiKey } from './schemas.ts';

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/api-keys',
  scope: 'any-key',
  summary: 'List the API keys, newest first, revoked ones included',
  query: pageQuery,
  response: pageOf(apiKey),
  handle: (context) => paginate(context, apiKeys.list(context.caller.teamId), apiKeys.view),
});
