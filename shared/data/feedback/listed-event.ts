import type { EventItem } from '../events/rows.ts';

/** An event as listings return it. */
export type ListedEvent = Omit<EventItem, 'pk' | 'sk' | 'ttl' | 'applying' | 'untold' | 'machine_reason'>;

/** The event as the API shows it. */
export function view(event: ListedEvent) {
  return {
    id: event.id,
    email: event.email,
    event: event.event,
    campaign_id: event.campaign_id,
    contact_id: event.contact_id,
    provider: event.provider,
    source: event.source,
    is_machine_open: event.is_machine_open,
    metadata: event.metadata,
    created_at: event.created_at,
  };
}
