import { timestamp } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';

/** How far ahead a worker may reserve; beyond that the page goes back to its queue. */
const horizonMs = 5_000;

/** The share of the account's rate for campaigns and sequences; the rest is for messages to one person. */
export const shareOfAccountRate = 0.9;

/** How long to wait before sending; or, when too much is reserved already, when to retry. */
export type Reservation = { waitMs: number } | { retryInMs: number };

/** The unused rate that is kept: it bounds the burst after a pause. */
const creditMs = 200;

const costOf = (count: number, messagesPerSecond: number): number => (count / messagesPerSecond) * 1000;

/** Reserves `count` messages of campaigns and sequences, with one write on an item that all workers share. */
export function reserve(count: number, accountRate: number): Promise<Reservation> {
  return reserveOn(keys.sendRate(), costOf(count, accountRate * shareOfAccountRate));
}

/** Reserves a message to one person: it waits only for others of its kind, and delays campaigns and sequences. */
export async function reserveDirect(accountRate: number): Promise<Reservation> {
  const reservation = await reserveOn(keys.directRate(), costOf(1, accountRate));
  if ('waitMs' in reservation) await move(keys.sendRate(), costOf(1, accountRate * shareOfAccountRate));
  return reservation;
}

async function reserveOn(key: Key, cost: number): Promise<Reservation> {
  const at = Date.now();
  const reservedUntil = await move(key, cost);
  const start = reservedUntil - cost;
  if (start > at + horizonMs) {
    await move(key, -cost);
    return { retryInMs: start - at };
  }
  if (reservedUntil < at - creditMs) await catchUp(key, at);
  return { waitMs: Math.max(0, start - at) };
}

async function move(key: Key, ms: number): Promise<number> {
  const item = await table.update<{ booked_until: number }>({
    Key: key,
    UpdateExpression: 'ADD booked_until :ms',
    ExpressionAttributeValues: { ':ms': ms },
    ReturnValues: 'UPDATED_NEW',
  });
  return item!.booked_until;
}

/** Sets the next free moment to now after a pause; one of several workers writes it. */
async function catchUp(key: Key, at: number): Promise<void> {
  await table.writeIf({
    Key: key,
    UpdateExpression: 'SET booked_until = :now',
    ConditionExpression: 'booked_until < :stale',
    ExpressionAttributeValues: { ':now': at, ':stale': at - creditMs },
  });
}

/** Until when campaigns and sequences have booked the account's rate; undefined when they never sent. */
export async function bookedUntil(): Promise<string | undefined> {
  const item = await table.get<{ booked_until: number }>(keys.sendRate());
  return item && timestamp(item.booked_until);
}
