import { now } from '../aws/clock.ts';
import { keys } from './keys.ts';
import * as table from './table.ts';

/** How far ahead a worker may book; beyond it the page goes back to its queue. */
const horizonMs = 5_000;

/** How much of the account's rate campaigns may use; the rest is for transactional mail. */
export const shareOfAccountRate = 0.9;

/** A booking: how long to wait before sending, or, where too much is booked already, when to come again. */
export type Booking = { waitMs: number } | { comeBackInMs: number };

/**
 * Books `count` messages against the account's rate for all workers together (generic cell rate algorithm on one item).
 */
export async function book(count: number, messagesPerSecond: number): Promise<Booking> {
  const at = now().getTime();
  const cost = (count / messagesPerSecond) * 1000;
  const behind = await table.updateIf<{ booked_until: number }>({
    Key: keys.sendRate(),
    UpdateExpression: 'SET booked_until = booked_until + :cost',
    ConditionExpression: 'booked_until BETWEEN :now AND :horizon',
    ExpressionAttributeValues: { ':cost': cost, ':now': at, ':horizon': at + horizonMs },
    ReturnValues: 'UPDATED_NEW',
  });
  if (behind) return { waitMs: Math.max(0, behind.booked_until - cost - at) };
  const idle = await table.updateIf({
    Key: keys.sendRate(),
    UpdateExpression: 'SET booked_until = :until',
    ConditionExpression: 'attribute_not_exists(pk) OR booked_until < :now',
    ExpressionAttributeValues: { ':until': at + cost, ':now': at },
    ReturnValues: 'NONE',
  });
  if (idle) return { waitMs: 0 };
  const { booked_until = 0 } = (await table.get<{ booked_until: number }>(keys.sendRate())) ?? {};
  return booked_until > at + horizonMs ? { comeBackInMs: booked_until - at } : book(count, messagesPerSecond);
}
