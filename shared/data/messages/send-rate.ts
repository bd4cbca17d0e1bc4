import { timestamp } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';

/** How far ahead a worker may book; beyond it the page goes back to its queue. */
const horizonMs = 5_000;

/** How much of the account's rate campaigns and sequences may use; the rest is for messages to one person. */
export const shareOfAccountRate = 0.9;

/** A booking: how long to wait before sending, or, where too much is booked already, when to come again. */
export type Booking = { waitMs: number } | { comeBackInMs: number };

/** Unused rate that is kept: a pause does not earn a burst beyond this. */
const creditMs = 200;

const costOf = (count: number, messagesPerSecond: number): number => (count / messagesPerSecond) * 1000;

/** Books `count` messages of campaigns and sequences for all workers together: one write on one item says where the next free moment is. */
export function book(count: number, accountRate: number): Promise<Booking> {
  return bookOn(keys.sendRate(), costOf(count, accountRate * shareOfAccountRate));
}

/** Books a message to one person: it waits for others of its kind alone, and campaigns and sequences make room for it. */
export async function bookDirect(accountRate: number): Promise<Booking> {
  const booking = await bookOn(keys.directRate(), costOf(1, accountRate));
  if ('waitMs' in booking) await move(keys.sendRate(), costOf(1, accountRate * shareOfAccountRate));
  return booking;
}

async function bookOn(key: Key, cost: number): Promise<Booking> {
  const at = Date.now();
  const bookedUntil = await move(key, cost);
  const start = bookedUntil - cost;
  if (start > at + horizonMs) {
    await move(key, -cost);
    return { comeBackInMs: start - at };
  }
  if (bookedUntil < at - creditMs) await catchUp(key, at);
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

/** After a pause the next free moment is now; of several workers one writes it. */
async function catchUp(key: Key, at: number): Promise<void> {
  await table.updateIf({
    Key: key,
    UpdateExpression: 'SET booked_until = :now',
    ConditionExpression: 'booked_until < :stale',
    ExpressionAttributeValues: { ':now': at, ':stale': at - creditMs },
    ReturnValues: 'NONE',
  });
}

/** Until when campaigns and sequences have booked the account's rate; undefined when they never sent. */
export async function bookedUntil(): Promise<string | undefined> {
  const item = await table.get<{ booked_until: number }>(keys.sendRate());
  return item && timestamp(item.booked_until);
}
