import { takeIds } from '../../shared/data/counters.ts';
import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { generateWebhookSecret } from '../../shared/domain/webhooks/webhook-event.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { checkScopes } from './check-scopes.ts';
import { checkUrl } from './check-url.ts';
import { webhookInput, webhookWithSecret } from './schemas.ts';

export const createWebhook = endpoint({
  method: 'POST',
  path: '/webhooks',
  scope: 'webhooks:write',
  summary: 'Subscribe a public URL to events; its signing secret is shown only here',
  body: webhookInput,
  response: dataOf(webhookWithSecret),
  permit: ({ scopes }, { events }) => checkScopes(scopes, events),

  async handle({ caller: { teamId }, body, operation, actor }) {
    await checkUrl(body.url);
    const made = await operation.memoize('webhook', async () => ({
      id: await takeIds(teamId, 'webhook'),
      secret: generateWebhookSecret(),
    }));
    const created = await webhooks.create(teamId, made, body, actor);
    return { data: { ...webhooks.view(created), secret: made.secret } };
  },
});
