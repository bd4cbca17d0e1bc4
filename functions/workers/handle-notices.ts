import type { DomainEventsMessage } from '../../shared/aws/queue.ts';
import { handleDomainEvents } from '../../shared/flows/handle-domain-events.ts';
import { queueWorker } from '../../shared/workers/batch.ts';

/** Handles domain events; the margin is longer than one service message takes, with its wait for the send rate. */
export const handler = queueWorker<DomainEventsMessage>({
  failure: 'domain events not handled',
  concurrency: 4,
  marginMs: 30_000,
  handle: handleDomainEvents,
  about: ({ team_id, notices: events }) => ({
    ...(events.length === 1 && events[0]),
    team_id,
    domain_event_ids: events.map(({ id }) => id),
  }),
});
