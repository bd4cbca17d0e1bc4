import { erasedEmail } from '../../domain/email-address.ts';
import { type EventType, retentionDays } from '../../domain/events/delivery-event.ts';
import { nativeId, placeIn } from '../../domain/events/place.ts';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { eventPosition, type IndexKeys, type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';
import { isSpread, shardOf } from './shards.ts';

const claimsAtOnce = 50;

/** A delivery event as stored and as the API shows it. */
export interface EventItem extends Key {
  id: number;
  email: string;
  event: EventType;
  campaign_id: number | null;
  contact_id: number | null;
  provider: string | null;
  source: string | null;
  /** Reported by our own provider. */
  confirmed?: boolean;
  is_machine_open: boolean;
  /** Why an open or click is a machine's. */
  machine_reason?: string;
  metadata: Record<string, unknown>;
  created_at: string;
  /** Set until the event's effects on recipients and contacts are written. */
  applying?: boolean;
  /** Set on a soft bounce when its contact has counted it. */
  counted?: boolean;
  /** Set until the event is published to webhooks. */
  untold?: boolean;
  ttl: number;
}

/** One row for many native events: all `queued` of a campaign, or all `sent` of a page; readers expand it. */
export interface NativeRow extends Key {
  native: 'queued' | 'sent';
  campaign_id: number;
  page: number;
  /** The part that was sent, in a campaign with an A/B test or to recipients that had been unknown. */
  part?: 'test' | 'rest' | 'resent';
  created_at: string;
  ttl: number;
}

/** The delivery of a campaign's message: the recipient's place in the campaign, and when it was delivered. */
export interface Delivery {
  place: number;
  at: string;
}

/** One row for deliveries of a campaign within a minute, at the time of the last; readers expand it. */
export interface DeliveredRow extends Key {
  campaign_id: number;
  /** In their order: place and milliseconds before the last, in base 36. */
  places: string;
  created_at: string;
  ttl: number;
}

/** A row of an event partition. */
export type EventRow = EventItem | NativeRow;

/** When a row expires; one too old to be listed is kept as long from now on, so that a repeat is known. */
const expiry = (at: string): number => {
  const now = new Date();
  const from = at < oldestShown(now) ? now : Date.parse(at);
  return epochSeconds(from) + retentionDays * 86_400;
};

/** The keys of an event: in its day's partitions, spread or not, and by address and by campaign. */
export function eventKeys(
  teamId: number,
  row: { email?: string; campaign_id: number | null; created_at: string; id: number; event?: EventType },
  spread: boolean,
) {
  const { campaign_id, created_at, id, event } = row;
  const email = row.email === erasedEmail ? undefined : row.email;
  const shard = shardOf(id, spread);
  const key = keys.event(teamId, created_at.slice(0, 10), shard, created_at, id);
  return {
    ...key,
    ...(email !== undefined && { gsi1pk: partitions.eventsOfEmail(teamId, email), gsi1sk: key.sk }),
    ...(campaign_id !== null && {
      gsi2pk: partitions.eventsOfCampaign(teamId, campaign_id, spread ? shard : undefined),
      // The type lets a search for another one pass the entry unread; those of earlier versions have none.
      gsi2sk: event === undefined ? key.sk : `${key.sk}#${event}`,
    }),
  };
}

/** The key of a stored event. */
export async function keyOf(teamId: number, event: EventRef): Promise<Key> {
  const { pk, sk } = eventKeys(teamId, event, await isSpread(teamId, event.created_at));
  return { pk, sk };
}

async function nativeRow(
  teamId: number,
  campaignId: number,
  native: 'queued' | 'sent',
  page: number,
  at: string,
): Promise<NativeRow> {
  const id = nativeId(teamId, campaignId, native, placeIn(page, 0));
  const row = { native, campaign_id: campaignId, page, created_at: at, ttl: expiry(at) };
  const located = { campaign_id: campaignId, created_at: at, id, event: native };
  return { ...eventKeys(teamId, located, await isSpread(teamId, at)), ...row };
}

/** The row for the `queued` of every recipient. */
export const queuedEvents = (teamId: number, campaignId: number, at: string): Promise<NativeRow> =>
  nativeRow(teamId, campaignId, 'queued', 0, at);

/** The row for the `sent` of a page's accepted recipients, or of one part of them. */
export const sentEvents = async (
  teamId: number,
  campaignId: number,
  page: number,
  at: string,
  part: NativeRow['part'],
): Promise<NativeRow> => ({ ...(await nativeRow(teamId, campaignId, 'sent', page, at)), ...(part && { part }) });

/** How far apart the deliveries of one row are at most, and how many it has. */
export const rowSpanMs = 60_000;
export const maxDeliveriesPerRow = 100;

/** The row for deliveries within a minute, given in the order of their times. */
export function deliveredEvents(
  teamId: number,
  campaignId: number,
  deliveries: readonly Delivery[],
): DeliveredRow & IndexKeys {
  const last = deliveries.at(-1)!;
  const offset = ({ at }: { at: string }) => Date.parse(last.at) - Date.parse(at);
  const sk = eventPosition(last.at, nativeId(teamId, campaignId, 'delivered', last.place));
  return {
    pk: partitions.delivered(teamId, last.at.slice(0, 10)),
    sk,
    gsi2pk: partitions.deliveredOfCampaign(teamId, campaignId),
    gsi2sk: sk,
    campaign_id: campaignId,
    places: deliveries.map((one) => `${one.place.toString(36)}:${offset(one).toString(36)}`).join(','),
    created_at: last.at,
    ttl: expiry(last.at),
  };
}

/** The deliveries of a row, in the order of their times. */
export const deliveriesOf = ({ places, created_at }: DeliveredRow): Delivery[] =>
  places.split(',').map((one) => {
    const [place, offset] = one.split(':').map((part) => Number.parseInt(part, 36));
    return { place: place!, at: timestamp(Date.parse(created_at) - offset!) };
  });

const notedDays = new Set<string>();

/** Records that a day has events, so that listings skip the other days. */
export async function noteDay(teamId: number, at: string): Promise<void> {
  const day = at.slice(0, 10);
  if (notedDays.has(`${teamId}/${day}`)) return;
  await table.put({ Item: { ...keys.eventDay(teamId, day), ttl: expiry(at) + 2 * 86_400 } });
  if (notedDays.size > 10_000) notedDays.clear();
  notedDays.add(`${teamId}/${day}`);
}

/**
 * Stores an event, or returns the known one; `doubtful` when a lost answer may have stored this very one. With a write
 * `beside` both are done together, once.
 */
export async function store(
  teamId: number,
  event: Omit<EventItem, 'pk' | 'sk' | 'ttl'>,
  beside?: table.TransactionWrite,
): Promise<{ fresh: true } | { fresh: false; known: EventItem; doubtful: boolean }> {
  const spread = await isSpread(teamId, event.created_at);
  const item = { ...eventKeys(teamId, event, spread), ...event, ttl: expiry(event.created_at) };
  const Put = { Item: item, ConditionExpression: 'attribute_not_exists(pk)' };
  try {
    await (beside ? table.transact([{ Put }, beside]) : table.put(Put));
    return { fresh: true };
  } catch (error) {
    if (!table.conditionFailed(error)) throw error;
    const [known] = await batch(teamId, [event]);
    return { fresh: false, known: known ?? item, doubtful: table.retried(error) };
  }
}

/** The times under which events with a provider's id are stored: those that they first came with. */
export async function settledTimes(
  teamId: number,
  events: readonly { id: number; at: string }[],
): Promise<Map<number, string>> {
  const first = new Map<number, string>();
  for (const { id, at } of events) if (!first.has(id)) first.set(id, at);
  const ids = [...first.keys()];
  const known = await table.batchGet<{ at: string }>(ids.map((id) => keys.eventIdentity(teamId, id)));
  const unknown = ids.filter((_id, index) => !known[index]);
  for (const [index, id] of ids.entries()) if (known[index]) first.set(id, known[index].at);
  for (let start = 0; start < unknown.length; start += claimsAtOnce) {
    const some = unknown.slice(start, start + claimsAtOnce);
    await Promise.all(some.map(async (id) => first.set(id, await claimTime(teamId, id, first.get(id)!))));
  }
  return first;
}

async function claimTime(teamId: number, id: number, at: string): Promise<string> {
  const key = keys.eventIdentity(teamId, id);
  if (await table.putNew({ ...key, at, ttl: expiry(timestamp()) })) return at;
  return (await table.get<{ at: string }>(key))?.at ?? at;
}

/** What locates the row of an event. */
export type EventRef = Pick<EventItem, 'campaign_id' | 'created_at' | 'id'>;

/** Reads the rows of events, in the order asked for. */
export async function batch(teamId: number, events: readonly EventRef[]): Promise<(EventItem | undefined)[]> {
  return table.batchGet<EventItem>(await Promise.all(events.map((event) => keyOf(teamId, event))));
}

/** Records that an event's effects are written. */
export function applied(teamId: number, event: EventRef): Promise<void> {
  return amend(teamId, event, { UpdateExpression: 'REMOVE applying' });
}

/** Marks a stored open or click as a machine's. */
export function judge(
  teamId: number,
  event: EventRef & Pick<EventItem, 'event'>,
  machine_reason: string,
): Promise<void> {
  return amend(teamId, event, {
    UpdateExpression: 'SET machine_reason = :reason, is_machine_open = :open',
    ExpressionAttributeValues: { ':reason': machine_reason, ':open': event.event === 'opened' },
  });
}

/** Records that an event is published to webhooks. */
export function markPublished(teamId: number, event: EventRef): Promise<void> {
  return amend(teamId, event, { UpdateExpression: 'REMOVE untold' });
}

/** Changes the row of an event, if it still exists. */
async function amend(
  teamId: number,
  event: EventRef,
  change: { UpdateExpression: string; ExpressionAttributeValues?: table.Item },
): Promise<void> {
  const Key = await keyOf(teamId, event);
  await table.writeIf({ Key, ...change, ConditionExpression: 'attribute_exists(pk)' });
}

/** The days with events, newest first. */
export async function days(teamId: number, low: string, high: string): Promise<string[]> {
  const range = table.within(partitions.eventDays(teamId), { between: [low.slice(0, 10), high.slice(0, 10)] });
  const found = await table.all<{ sk: string }>({ ...range, ScanIndexForward: false, ConsistentRead: true });
  return found.map(({ sk }) => sk);
}

/** The oldest time from which events are shown. */
export const oldestShown = (now: Date): string => timestamp(now.getTime() - retentionDays * 86_400_000);
