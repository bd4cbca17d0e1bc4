import { keys } from './keys.ts';
import * as table from './table.ts';

/** How far ahead a worker may book; beyond it the page goes back to its queue. */
const horizonMs = 5_000;

/** How much of the account's rate campaigns may use; the rest is for transactional mail. */
export const shareOfAccountRate = 0.9;

/** A booking: how long to wait before sending, or, where too much is booked already, when to come again. */
export type Booking = { waitMs: number } | { comeBackInMs: number };

/** Unused rate that is kept: a pause does not earn a burst beyond this. */
const creditMs = 200;

/** Books `count` messages against the account's rate for all workers together: one write on one item says where the next free moment is. */
export async function book(count: number, messagesPerSecond: number): Promise<Booking> {
  const at = Date.now();
  const cost = (count / messagesPerSecond) * 1000;
  const bookedUntil = await move(cost);
  const start = bookedUntil - cost;
  if (start > at + horizonMs) {
    await move(-cost);
    return { comeBackInMs: start - at };
  }
  if (bookedUntil < at - creditMs) await catchUp(at);
  return { waitMs: Math.max(0, start - at) };
}

async function move(ms: number): Promise<number> {
  const item = await table.update<{ booked_until: number }>({
    Key: keys.sendRate(),
    UpdateExpression: 'ADD booked_until :ms',
    ExpressionAttributeValues: { ':ms': ms },
    ReturnValues: 'UPDATED_NEW',
  });
  return item!.booked_until;
}

/** After a pause the next free moment is now; of several workers one writes it. */
async function catchUp(at: number): Promise<void> {
  await table.updateIf({
    Key: keys.sendRate(),
    UpdateExpression: 'SET booked_until = :now',
    ConditionExpression: 'booked_until < :stale',
    ExpressionAttributeValues: { ':now': at, ':stale': at - creditMs },
    ReturnValues: 'NONE',
  });
}
