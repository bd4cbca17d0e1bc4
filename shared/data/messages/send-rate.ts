import { timestamp } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';

/** The share of the account's rate for campaigns and sequences; the rest is for messages to one person. */
export const shareOfAccountRate = 0.9;

/** The moment to send at, in milliseconds since the epoch; or, when too much is reserved already, when to retry. */
export type Reservation = { at: number } | { retryInMs: number };

/** The unused rate that is kept, for messages that come late: as SES does, a second's. */
const creditMs = 1_000;

/** How far ahead a message to one person is reserved: its sender waits for it. */
const directHorizonMs = 5_000;

const costOf = (count: number, messagesPerSecond: number): number => (count / messagesPerSecond) * 1000;

/** How long `count` messages of campaigns and sequences take at the account's rate, in milliseconds. */
export const bulkMs = (count: number, accountRate: number): number => costOf(count, accountRate * shareOfAccountRate);

/**
 * Reserves `count` messages of campaigns and sequences, at most `horizonMs` ahead, on an item that all workers share. A
 * reservation that passes unused is lost.
 */
export function reserve(count: number, accountRate: number, horizonMs: number): Promise<Reservation> {
  return reserveOn(keys.sendRate(), bulkMs(count, accountRate), horizonMs);
}

/** Reserves a message to one person: it waits only for others of its kind, and delays campaigns and sequences. */
export async function reserveDirect(accountRate: number): Promise<Reservation> {
  const reservation = await reserveOn(keys.directRate(), costOf(1, accountRate), directHorizonMs);
  if ('at' in reservation)
    await table.update({
      Key: keys.sendRate(),
      UpdateExpression: 'ADD booked_until :ms',
      ExpressionAttributeValues: { ':ms': bulkMs(1, accountRate) },
    });
  return reservation;
}

/** One write while the rate is in use. */
async function reserveOn(key: Key, cost: number, horizonMs: number): Promise<Reservation> {
  for (;;) {
    const now = Date.now();
    const unused = now - creditMs;
    const after = await table.updateIf<{ booked_until: number }>({
      Key: key,
      UpdateExpression: 'SET booked_until = booked_until + :cost',
      ConditionExpression: 'booked_until BETWEEN :unused AND :horizon',
      ExpressionAttributeValues: { ':cost': cost, ':unused': unused, ':horizon': now + horizonMs },
    });
    if (after) return { at: after.booked_until - cost };
    const first = await table.writeIf({
      Key: key,
      UpdateExpression: 'SET booked_until = :until',
      ConditionExpression: 'attribute_not_exists(booked_until) OR booked_until < :unused',
      ExpressionAttributeValues: { ':until': now + cost, ':unused': unused },
    });
    if (first) return { at: now };
    const until = await freeAt(key);
    if (until > now + horizonMs) return { retryInMs: until - now };
  }
}

/** Until when campaigns and sequences have reserved the account's rate, in milliseconds since the epoch; 0 if never. */
export async function freeAt(key = keys.sendRate()): Promise<number> {
  return (await table.get<{ booked_until: number }>(key))?.booked_until ?? 0;
}

/** Until when campaigns and sequences have reserved the account's rate; undefined when they never sent. */
export async function bookedUntil(): Promise<string | undefined> {
  const at = await freeAt();
  return at === 0 ? undefined : timestamp(at);
}
