import * as z from 'zod';
import { NotApplicable } from '../../shared/domain/errors.ts';
import { sendTestEvent } from '../../shared/flows/webhooks/queue-events.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { webhookOf, webhookParams } from './schemas.ts';

export const testWebhook = endpoint({
  method: 'POST',
  path: '/webhooks/{endpoint}/test',
  scope: 'webhooks:write',
  summary: 'Send a synthetic `webhook.test` event, whatever the endpoint subscribes to',
  params: webhookParams,
  response: dataOf(z.object({ status: z.literal('queued') })),

  async handle({ caller: { teamId }, params, operation }) {
    const webhook = await webhookOf(teamId, params);
    if (!webhook.is_active) throw new NotApplicable('The endpoint is switched off: set is_active to true first.');
    await sendTestEvent(teamId, webhook, operation);
    return { data: { status: 'queued' as const } };
  },
});
