import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { deletion, endpoint } from '../../shared/http/endpoint.ts';
import { webhookOf, webhookParams } from './schemas.ts';

export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: '/webhooks/{endpoint}',
  scope: 'webhooks:write',
  summary: 'Delete a webhook endpoint; what is under way to it is not tried again',
  params: webhookParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    const id = await operation.memoize('webhook', async () => (await webhookOf(teamId, params)).id);
    await webhooks.remove(teamId, id);
    return { data: { id, deleted: true } };
  },
});
