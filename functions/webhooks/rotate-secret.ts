import { sealedAnswers } from '../../shared/data/sealed-answers.ts';
import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { openSecret, sealSecret } from '../../shared/data/webhooks/secrets.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { generateWebhookSecret } from '../../shared/domain/webhooks/webhook-event.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { webhookOf, webhookParams, webhookWithSecret } from './schemas.ts';

export const rotateSecret = endpoint({
  method: 'POST',
  path: '/webhooks/{endpoint}/rotate-secret',
  scope: 'webhooks:write',
  summary: 'Give an endpoint a new signing secret, shown only here; for 24 hours the one before signs too',
  params: webhookParams,
  response: dataOf(webhookWithSecret),
  sealing: sealedAnswers,

  async handle({ caller: { teamId }, params, operation, actor }) {
    const { id } = await webhookOf(teamId, params);
    const secret = await operation.memoize('secret', () => sealSecret(teamId, id, generateWebhookSecret()));
    const rotated = orNotFound(await webhooks.rotate(teamId, id, secret, actor), 'webhook endpoint');
    return { data: { ...webhooks.view(rotated), secret: await openSecret(teamId, id, secret) } };
  },
});
