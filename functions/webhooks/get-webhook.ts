import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { webhook, webhookOf, webhookParams } from './schemas.ts';

export const getWebhook = endpoint({
  method: 'GET',
  path: '/webhooks/{endpoint}',
  scope: 'webhooks:read',
  summary: 'Fetch one webhook endpoint',
  params: webhookParams,
  response: dataOf(webhook),
  handle: async ({ caller, params }) => ({ data: webhooks.view(await webhookOf(caller.teamId, params)) }),
});
