import { takeIds } from '../../shared/data/counters.ts';
import { sealedAnswers } from '../../shared/data/sealed-answers.ts';
import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { openSecret, sealSecret } from '../../shared/data/webhooks/secrets.ts';
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
  sealing: sealedAnswers,
  permit: ({ scopes }, { events }) => checkScopes(scopes, events),

  async handle({ caller: { teamId }, body, operation, actor }) {
    await checkUrl(body.url);
    const made = await operation.memoize('webhook', async () => {
      const id = await takeIds(teamId, 'webhook');
      return { id, secret: await sealSecret(teamId, id, generateWebhookSecret()) };
    });
    const created = await webhooks.create(teamId, made, body, actor);
    const secret = await openSecret(teamId, made.id, made.secret);
    return { data: { ...webhooks.view(created), secret } };
  },
});
