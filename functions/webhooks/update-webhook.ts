import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { checkScopes } from './check-scopes.ts';
import { checkUrl } from './check-url.ts';
import { webhook, webhookOf, webhookParams, webhookPatch } from './schemas.ts';

export const updateWebhook = endpoint({
  method: 'PATCH',
  path: '/webhooks/{endpoint}',
  scope: 'webhooks:write',
  summary: 'Change a webhook endpoint; one that is switched on again starts without failures',
  params: webhookParams,
  body: webhookPatch,
  response: dataOf(webhook),
  permit: ({ scopes }, { events = [] }) => checkScopes(scopes, events),

  async handle({ caller: { teamId, scopes }, params, body, actor }) {
    const before = await webhookOf(teamId, params);
    // Another URL gets what the endpoint subscribes to.
    if (body.url !== undefined && !body.events) checkScopes(scopes, before.events);
    if (body.url !== undefined) await checkUrl(body.url);
    const updated = await webhooks.update(teamId, before, body, actor);
    return { data: webhooks.view(orNotFound(updated, 'webhook endpoint')) };
  },
});
