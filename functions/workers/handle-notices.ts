import type { DomainEventsMessage } from '../../shared/aws/queue.ts';
import { eventsOf, type StoredEvents } from '../../shared/domain/domain-event.ts';
import { handleDomainEvents } from '../../shared/flows/handle-domain-events.ts';
import { queueWorker } from '../../shared/workers/batch.ts';

/** A version before queued what it found stored. */
type Message = Omit<DomainEventsMessage, 'notices'> & { notices: StoredEvents };

/** Handles domain events; the margin is longer than one service message takes, with its wait for the send rate. */
export const handler = queueWorker<Message>({
  failure: 'domain events not handled',
  concurrency: 4,
  marginMs: 30_000,
  handle: ({ notices, ...message }, deadline) =>
    handleDomainEvents({ ...message, notices: eventsOf(notices) }, deadline),
  about: ({ team_id, notices }) => {
    const events = eventsOf(notices);
    return { ...(events.length === 1 && events[0]), team_id, domain_event_ids: events.map(({ id }) => id) };
  },
});
