import * as z from 'zod';
import * as events from '../../shared/data/events.ts';
import { eventTypes } from '../../shared/domain/delivery-event.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { paginate } from '../../shared/http/pagination.ts';
import { address, id, moment, pageOf, pageQuery, textEmail, textId, time } from '../../shared/http/schemas.ts';

const eventType = z.enum(eventTypes).meta({ id: 'DeliveryEventType' });

const deliveryEvent = z
  .object({
    id,
    email: address,
    event: eventType,
    campaign_id: id.nullable(),
    contact_id: id.nullable(),
    provider: z.string().nullable(),
    source: z.string().nullable(),
    is_machine_open: z.boolean(),
    metadata: z.record(z.string(), z.unknown()),
    created_at: time.nullable(),
  })
  .meta({ id: 'DeliveryEvent' });

export const listEvents = endpoint({
  method: 'GET',
  path: '/events',
  scope: 'events:read',
  summary: 'List the delivery events of the last 180 days, newest first',
  query: pageQuery.extend({
    event: eventType.optional(),
    email: textEmail.optional(),
    campaign_id: textId.optional(),
    contact_id: textId.optional(),
    since: moment.optional(),
    until: moment.optional(),
    include_machine_opens: z
      .enum(['true', 'false', '1', '0'], 'true or false')
      .transform((text) => text === 'true' || text === '1')
      .meta({ type: 'boolean', default: false })
      .optional(),
  }),
  response: pageOf(deliveryEvent),

  handle(exchange) {
    return paginate(exchange, events.list(exchange.caller.teamId, exchange.query), (event) => event);
  },
});
