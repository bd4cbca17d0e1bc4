import { timestamp } from '../../domain/time.ts';
import { type Key, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { indexed } from '../sources.ts';
import * as table from '../table.ts';
import type { EventItem } from './rows.ts';

/** More events of one address within seconds, or that a search passes, are a program's: the rest is not looked at. */
const [eventsAtOnce, eventsRead] = [100, 5_000];

/** The stored events of an address between two times, newest first. */
export function ofEmail(teamId: number, email: string, low: string, high: string): Source<EventItem> {
  const pk = partitions.eventsOfEmail(teamId, email);
  return indexed<EventItem>({ pk, index: 'gsi1', descending: true, low, high });
}

async function* some<T>(rows: AsyncIterable<T>): AsyncGenerator<T> {
  let read = 0;
  for await (const row of rows) {
    if (read++ === eventsRead) return;
    yield row;
  }
}

/** The provider's verdict on a recipient's message: accepted, dropped, or undefined while it has no event. */
export async function providerVerdict(
  teamId: number,
  campaignId: number,
  email: string,
): Promise<'accepted' | 'dropped' | undefined> {
  let verdict: 'dropped' | undefined;
  for await (const { item } of some(ofEmail(teamId, email, ' ', '~')('forward', undefined, 100))) {
    if (item.campaign_id !== campaignId || !item.confirmed) continue;
    if (item.event !== 'dropped') return 'accepted';
    verdict = 'dropped';
  }
  return verdict;
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

/** When the message of a stored open was delivered, if its row says that this was within the window before it. */
export async function deliveredJustBefore(
  teamId: number,
  { sk, email, campaign_id, created_at }: EventItem,
  windowMs: number,
): Promise<string | undefined> {
  const between: [string, string] = [timestamp(Date.parse(created_at) - windowMs), `${created_at}~`];
  const { items } = await table.query<Key>({
    ...table.within(partitions.eventsOfEmail(teamId, email), { index: 'gsi1', between }),
    ScanIndexForward: false,
    Limit: eventsAtOnce,
  });
  // Most often there is nothing but the open itself.
  const others = items.filter((key) => key.sk !== sk).map((key) => ({ pk: key.pk, sk: key.sk }));
  const found = await table.batchGet<EventItem>(others);
  return found.find((row) => row?.event === 'delivered' && row.campaign_id === campaign_id)?.created_at;
}

/** The opens of an address between two times, machines' included, oldest first. */
export async function opens(teamId: number, email: string, low: string, high: string): Promise<EventItem[]> {
  const found: EventItem[] = [];
  for await (const { item } of some(ofEmail(teamId, email, low, `${high}~`)('backward', undefined, 100)))
    if (item.event === 'opened') found.push(item);
  return found;
}

/** When an address first opened anything from a time on, or last before it, by an open that passes; null: not known. */
export async function openedAt(
  teamId: number,
  email: string,
  range: { from: string } | { before: string },
  passes: (open: EventItem) => boolean,
): Promise<string | undefined | null> {
  const rows =
    'from' in range
      ? ofEmail(teamId, email, range.from, '~')('backward', undefined, 10)
      : ofEmail(teamId, email, ' ', range.before)('forward', undefined, 10);
  let read = 0;
  for await (const { item } of rows) {
    if (item.event === 'opened' && passes(item)) return item.created_at;
    if (++read === eventsRead) return null;
  }
  return undefined;
}
