import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { deleteBy, deletion, endpoint } from '../../shared/http/endpoint.ts';
import { webhookOf, webhookParams } from './schemas.ts';

export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: '/webhooks/{endpoint}',
  scope: 'webhooks:write',
  summary: 'Delete a webhook endpoint; what is under way to it is not tried again',
  params: webhookParams,
  response: deletion,
  handle: deleteBy('webhook', webhookOf, webhooks.remove),
});
