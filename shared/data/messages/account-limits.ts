import type { AccountLimits } from '../../domain/messages/account-limits.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';

/** The provider's limits as it last said them, and when to ask it again, in milliseconds since the epoch. */
export interface StoredLimits {
  /** Absent until it has answered for the first time. */
  limits?: AccountLimits;
  ask_at: number;
}

/** Reads the stored limits; undefined when nobody has asked for them. */
export function find(): Promise<StoredLimits | undefined> {
  return table.get<StoredLimits & table.Item>(keys.accountLimits());
}

/** Whether the caller is the one to ask the provider now; no other is until `nextAt`. */
export function claim(now: number, nextAt: number): Promise<boolean> {
  return table.writeIf({
    Key: keys.accountLimits(),
    UpdateExpression: 'SET ask_at = :next',
    ConditionExpression: 'attribute_not_exists(ask_at) OR ask_at <= :now',
    ExpressionAttributeValues: { ':now': now, ':next': nextAt },
  });
}

/** Stores what the provider said. */
export async function store(stored: Required<StoredLimits>): Promise<void> {
  await table.put({ Item: { ...keys.accountLimits(), ...stored } });
}
