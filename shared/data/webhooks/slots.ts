import { epochSeconds } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';
import { slowMs } from './endpoints.ts';

/**
 * The slots of a host are spread over so many rows, as each attempt writes to one of them twice. A host whose attempts
 * do not end quickly has those of the first rows.
 */
const [rows, slowRows] = [25, 5];
/** Concurrent attempts per row, by all workers together: ten in the slow rows, fifty in all. */
const maxAttempts = 2;
const tries = 5;
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

const allKeys = (teamId: number, host: string): Key[] =>
  Array.from({ length: rows }, (_, shard) => keys.webhookSlots(teamId, host, shard));

/** Attempts that a worker makes side by side begin with different rows. */
let next = Math.floor(Math.random() * rows);
/** When this worker last knew of an attempt that ended quickly, by host. */
const quickAt = new Map<string, number>();
const maxKnown = 1_000;

function noteQuick(teamId: number, host: string, at: number): void {
  if (quickAt.size >= maxKnown) quickAt.clear();
  quickAt.set(`${teamId} ${host}`, at);
}

/** Acquires a slot of a team at a host, for any of its endpoints there: a slow host cannot hold all workers. */
export async function acquire(teamId: number, host: string): Promise<Acquired> {
  const own = allKeys(teamId, host);
  const first = next++;
  const now = Date.now();
  const begin = (slot: number, change: string, condition: string, values: table.Item) =>
    table.writeIf({
      Key: own[slot]!,
      UpdateExpression: `SET busy_at = :now, #ttl = :ttl${change}`,
      ConditionExpression: condition,
      ExpressionAttributeValues: { ':one': 1, ':now': now, ':ttl': epochSeconds() + keptSeconds, ...values },
    });
  const take = (slot: number) =>
    begin(slot, ' ADD busy :one', 'attribute_not_exists(busy) OR busy < :max', { ':max': maxAttempts });
  const rowsOf = (lastQuick = 0) => (lastQuick > now - recentMs ? rows : slowRows);
  const known = rowsOf(quickAt.get(`${teamId} ${host}`));
  for (let tried = 0; tried < tries; tried++) {
    const slot = (first + tried) % known;
    if (await take(slot)) return { slot };
  }
  const items = await table.batchGet<SlotsItem>(own);
  const lastQuick = Math.max(...items.map((item) => item?.ended_at ?? 0));
  if (lastQuick > 0) noteQuick(teamId, host, lastQuick);
  const open = items.slice(0, rowsOf(lastQuick));
  for (const [slot, item] of open.entries()) if ((item?.busy ?? 0) < maxAttempts && (await take(slot))) return { slot };
  const stale = open.findIndex((item) => item && item.busy_at < now - staleMs);
  if (stale >= 0 && (await begin(stale, ', busy = :one', 'busy_at < :stale', { ':stale': now - staleMs })))
    return { slot: stale };
  return { idleMs: now - Math.max(lastQuick, ...items.map((item) => item?.busy_at ?? 0)) };
}

/** Frees a slot at the end of its attempt, which took some milliseconds. */
export async function release(teamId: number, host: string, slot: number, ms: number): Promise<void> {
  const quick = ms < slowMs;
  if (quick) noteQuick(teamId, host, Date.now());
  await table.update({
    Key: keys.webhookSlots(teamId, host, slot),
    UpdateExpression: `${quick ? 'SET ended_at = :now ' : ''}ADD busy :less`,
    ExpressionAttributeValues: { ':less': -1, ...(quick && { ':now': Date.now() }) },
  });
}

/** How many attempts of a team at a host are in progress. */
export async function underWay(teamId: number, host: string): Promise<number> {
  const items = await table.batchGet<SlotsItem>(allKeys(teamId, host));
  return items.reduce((sum, item) => sum + (item?.busy ?? 0), 0);
}

/** Whether a slot is unlikely to become free soon. */
export const isStuck = (idleMs: number): boolean => idleMs > recentMs;
