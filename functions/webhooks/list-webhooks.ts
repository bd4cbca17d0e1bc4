import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { webhook } from './schemas.ts';

export const listWebhooks = endpoint({
  method: 'GET',
  path: '/webhooks',
  scope: 'webhooks:read',
  summary: 'List the webhook endpoints, newest first',
  query: pageQuery,
  response: pageOf(webhook),
  handle: (context) => paginate(context, webhooks.list(context.caller.teamId), webhooks.view),
});
