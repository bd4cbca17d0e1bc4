import * as deliveries from '../../shared/data/webhooks/deliveries.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { lacking } from './check-scopes.ts';
import { delivery, webhookOf, webhookParams } from './schemas.ts';

export const listDeliveries = endpoint({
  method: 'GET',
  path: '/webhooks/{endpoint}/deliveries',
  scope: 'webhooks:read',
  summary:
    'List what was sent to an endpoint in the last 30 days and what it answered, attempt by attempt, newest first',
  params: webhookParams,
  query: pageQuery,
  response: pageOf(delivery),

  async handle(context) {
    const { teamId, scopes } = context.caller;
    const { id } = await webhookOf(teamId, context.params);
    return paginate(context, deliveries.list(teamId, id), (item) =>
      deliveries.view(item, lacking(scopes, [item.type]).length === 0),
    );
  },
});
