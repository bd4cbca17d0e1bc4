import { epochSeconds } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';
import { slowMs } from './endpoints.ts';

/** The slots of an endpoint are spread over so many rows: each attempt writes to one of them twice. */
const shards = 5;
/** Concurrent attempts at an endpoint, by all workers together, and at one whose attempts end quickly; per row. */
const [maxAttempts, maxQuickAttempts] = [10 / shards, 50 / shards];
const recentMs = 1_000;
/** An attempt takes at most 15 seconds: if none began for this long, those in progress have died. */
const staleMs = 20_000;
const keptSeconds = 86_400;

interface SlotsItem extends Key {
  /** Attempts in progress, and when the last one began and a quick one ended. */
  busy: number;
  busy_at: number;
  ended_at?: number;
  ttl: number;
}

/** A slot, or for how long no attempt has begun and no quick one ended while none is free. */
export type Acquired = { slot: number } | { slot?: undefined; idleMs: number };

const allKeys = (teamId: number, id: number): Key[] =>
  Array.from({ length: shards }, (_, shard) => keys.webhookSlots(teamId, id, shard));

/** Attempts that a worker makes side by side begin with different rows. */
let next = Math.floor(Math.random() * shards);

/** Acquires one of the endpoint's slots, so that a slow one cannot hold all workers. */
export async function acquire(teamId: number, id: number): Promise<Acquired> {
  const own = allKeys(teamId, id);
  const first = next++;
  const now = Date.now();
  const begin = (slot: number, change: string, condition: string, values: table.Item) =>
    table.writeIf({
      Key: own[slot]!,
      UpdateExpression: `SET busy_at = :now, #ttl = :ttl${change}`,
      ConditionExpression: condition,
      ExpressionAttributeValues: { ':one': 1, ':now': now, ':ttl': epochSeconds() + keptSeconds, ...values },
    });
  const free = 'attribute_not_exists(busy) OR busy < :max OR (busy < :quick AND ended_at > :recent)';
  const limits = { ':max': maxAttempts, ':quick': maxQuickAttempts, ':recent': now - recentMs };
  for (let tried = 0; tried < shards; tried++) {
    const slot = (first + tried) % shards;
    if (await begin(slot, ' ADD busy :one', free, limits)) return { slot };
  }
  const items = await table.batchGet<SlotsItem>(own);
  const stale = items.findIndex((item) => item && item.busy_at < now - staleMs);
  if (stale >= 0 && (await begin(stale, ', busy = :one', 'busy_at < :stale', { ':stale': now - staleMs })))
    return { slot: stale };
  const last = Math.max(...items.map((item) => Math.max(item?.busy_at ?? 0, item?.ended_at ?? 0)));
  return { idleMs: now - last };
}

/** Frees a slot at the end of its attempt, which took some milliseconds. */
export async function release(teamId: number, id: number, slot: number, ms: number): Promise<void> {
  const quick = ms < slowMs;
  await table.update({
    Key: keys.webhookSlots(teamId, id, slot),
    UpdateExpression: `${quick ? 'SET ended_at = :now ' : ''}ADD busy :less`,
    ExpressionAttributeValues: { ':less': -1, ...(quick && { ':now': Date.now() }) },
  });
}

/** How many attempts at an endpoint are in progress. */
export async function underWay(teamId: number, id: number): Promise<number> {
  const items = await table.batchGet<SlotsItem>(allKeys(teamId, id));
  return items.reduce((sum, item) => sum + (item?.busy ?? 0), 0);
}

/** Whether a slot is unlikely to become free soon. */
export const isStuck = (idleMs: number): boolean => idleMs > recentMs;
