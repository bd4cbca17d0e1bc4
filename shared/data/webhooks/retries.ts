import { type IndexKeys, type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';
import { addressKeys, type Delivery, expiry } from './deliveries.ts';

/** A delivery that has attempts left. */
export interface RetryItem extends Delivery, Key, IndexKeys {
  /** The attempt that comes next, and when. */
  attempt: number;
  next_at: string;
  ttl: number;
}

/** The next attempt at a delivery, and when. */
export type NextAttempt = Pick<RetryItem, 'attempt' | 'next_at'>;

/** A delivery in the order of the next attempts. */
export interface Upcoming extends Key {
  at: string;
}

/** Over so many partitions the deliveries of an endpoint are spread. */
const retryShards = 8;

/** Event ids end in a hexadecimal digit of a hash. */
const shardOf = (eventId: string): number => eventId.charCodeAt(eventId.length - 1) % retryShards;

const position = (next_at: string, eventId: string): string => `${next_at}#${eventId}`;

/** Stores a delivery that has attempts left, unless it is stored. */
export async function keep(teamId: number, webhookId: number, delivery: Delivery, next: NextAttempt): Promise<void> {
  const { event_id, type, body } = delivery;
  const shard = shardOf(event_id);
  const item: RetryItem = {
    ...addressKeys(teamId, delivery),
    ...keys.deliveryRetry(teamId, webhookId, shard, event_id),
    gsi1pk: partitions.deliveryRetries(teamId, webhookId, shard),
    gsi1sk: position(next.next_at, event_id),
    event_id,
    type,
    body,
    ...next,
    ttl: expiry(),
  };
  await table.putNew(item);
}

/** Up to `count` deliveries with attempts left, those first whose next attempt comes first. */
export async function upcoming(teamId: number, webhookId: number, count: number): Promise<Upcoming[]> {
  const shards = Array.from({ length: retryShards }, (_, shard) => {
    const retries = table.within(partitions.deliveryRetries(teamId, webhookId, shard), { index: 'gsi1' });
    return table.query<Key & { gsi1sk: string }>({ ...retries, Limit: count });
  });
  const found = (await Promise.all(shards)).flatMap(({ items }) => items);
  const ordered = found.sort((a, b) => (a.gsi1sk < b.gsi1sk ? -1 : 1)).slice(0, count);
  return ordered.map(({ pk, sk, gsi1sk }) => ({ pk, sk, at: gsi1sk.split('#')[0]! }));
}

/** Reads deliveries whose next attempt is due before a time, in the order of the keys. */
export async function dueBefore(wanted: readonly Key[], before: string): Promise<RetryItem[]> {
  // The index may lag behind: one that is not due any more has just been tried.
  const items = await table.batchGet<RetryItem>(wanted.map(({ pk, sk }) => ({ pk, sk })));
  return items.flatMap((item) => (item && item.next_at <= before ? item : []));
}

/** Sets the next attempt and its time, unless another worker was first. */
export async function reschedule(item: RetryItem, next: NextAttempt): Promise<void> {
  await table.writeIf({
    Key: { pk: item.pk, sk: item.sk },
    UpdateExpression: 'SET attempt = :attempt, next_at = :at, gsi1sk = :position',
    ConditionExpression: 'attribute_exists(pk) AND attempt = :seen',
    ExpressionAttributeValues: {
      ':attempt': next.attempt,
      ':at': next.next_at,
      ':position': position(next.next_at, item.event_id),
      ':seen': item.attempt,
    },
  });
}

/** Ends a delivery: there are no more attempts. */
export const end = ({ pk, sk }: Key): Promise<void> => table.remove({ Key: { pk, sk } });
