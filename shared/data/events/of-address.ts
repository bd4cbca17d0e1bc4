import type { EventType } from '../../domain/events/delivery-event.ts';
import { timestamp } from '../../domain/time.ts';
import { partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { indexed } from '../sources.ts';
import type { EventItem } from './rows.ts';

/** The stored events of an address between two times, newest first. */
export function ofEmail(teamId: number, email: string, low: string, high: string): Source<EventItem> {
  const pk = partitions.eventsOfEmail(teamId, email);
  return indexed<EventItem>({ pk, index: 'gsi1', descending: true, low, high });
}

/** The provider's verdict on a recipient's message: accepted, dropped, or undefined while it has no event. */
export async function providerVerdict(
  teamId: number,
  campaignId: number,
  email: string,
): Promise<'accepted' | 'dropped' | undefined> {
  const found: EventType[] = [];
  for await (const { item } of ofEmail(teamId, email, ' ', '~')('forward', undefined, 100))
    if (item.campaign_id === campaignId && item.confirmed) found.push(item.event);
  if (found.length === 0) return undefined;
  return found.every((event) => event === 'dropped') ? 'dropped' : 'accepted';
}

/** Whether the provider has reported, since a time, on the message of a sequence's step. */
export async function reportedStep(
  teamId: number,
  email: string,
  { sequenceId, stepId, since }: { sequenceId: number; stepId: number; since: string },
): Promise<boolean> {
  for await (const { item } of ofEmail(teamId, email, since, '~')('forward', undefined, 100))
    if (item.confirmed && item.metadata.sequence_id === sequenceId && item.metadata.step_id === stepId) return true;
  return false;
}

/** When a recipient's message was delivered, if that was within the window before `at`. */
export async function deliveredJustBefore(
  teamId: number,
  campaignId: number | null,
  email: string,
  at: string,
  windowMs: number,
): Promise<string | undefined> {
  const since = timestamp(Date.parse(at) - windowMs);
  for await (const { item } of ofEmail(teamId, email, since, `${at}~`)('forward', undefined, 10))
    if (item.event === 'delivered' && item.campaign_id === campaignId) return item.created_at;
  return undefined;
}

/** The opens of an address between two times, machines' included, oldest first. */
export async function opens(teamId: number, email: string, low: string, high: string): Promise<EventItem[]> {
  const found: EventItem[] = [];
  for await (const { item } of ofEmail(teamId, email, low, `${high}~`)('backward', undefined, 100))
    if (item.event === 'opened') found.push(item);
  return found;
}
