import * as contacts from '../../shared/data/contacts/contacts.ts';
import * as events from '../../shared/data/feedback/event-listing.ts';
import type { ListedEvent } from '../../shared/data/feedback/listed-event.ts';
import type { Search } from '../../shared/data/paging.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { flag, textEmail, textId, timestampInput } from '../../shared/http/schemas.ts';
import { deliveryEvent, eventType } from './schemas.ts';

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
    since: timestampInput.optional(),
    until: timestampInput.optional(),
    include_machine_opens: flag,
  }),
  response: pageOf(deliveryEvent),

  async handle(context) {
    const { caller, query } = context;
    return paginate(context, await eventsOf(caller.teamId, query), (event) => event);
  },
});

const nothing: Search<ListedEvent> = async function* () {};

/** The events that match; a contact's are found by its address, which has an index. A deleted contact has none. */
async function eventsOf(teamId: number, filter: events.EventFilter): Promise<Search<ListedEvent>> {
  if (filter.contact_id === undefined) return events.list(teamId, filter);
  const [email] = await contacts.emailsOf(teamId, [filter.contact_id]);
  const other = filter.email !== undefined && filter.email !== email;
  return email === undefined || other ? nothing : events.list(teamId, { ...filter, email });
}
