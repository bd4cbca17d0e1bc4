import { Unavailable } from '../domain/errors.ts';
import type { Key } from './keys.ts';
import * as table from './table.ts';

/** What a change is to write: the record and other rows, in one transaction; without `after` nothing is written. */
export interface Decision<Item, Result> {
  result: Result;
  after?: Item;
  writes?: table.TransactionWrite[];
}

const maxAttempts = 60;
/** Bounds the backoff: a long pause would let newer writers win again and again. */
const maxBackoff = 5;

/**
 * Changes a record and other rows in one transaction, on condition of the version that was read; after a conflict it
 * reads and decides again. Undefined when the record does not exist; throws 503 after too many conflicts.
 */
export async function changeVersioned<Item extends Key & { version: number }, Result, Read = undefined>(
  kind: string,
  find: () => Promise<Item | undefined>,
  decide: (before: Item, found: Read) => Promise<Decision<Item, Result>>,
  read?: () => Promise<Read>,
): Promise<Result | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) await table.pause(Math.min(attempt, maxBackoff));
    const [before, found] = await Promise.all([find(), read?.()]);
    if (!before) return undefined;
    const { result, after, writes = [] } = await decide(before, found as Read);
    if (!after) return result;
    // Rows read one after another may contradict each other. DynamoDB refuses a transaction with two writes to an item.
    if (table.writesTwice(writes)) continue;
    const next = { ...after, version: before.version + 1 };
    const update = table.editOf(before, next, '#version = :read', { ':read': before.version });
    if (await table.transactOnce([{ Update: update }, ...writes])) return result;
  }
  throw new Unavailable(`Too many writers on the same ${kind}; try again.`);
}
