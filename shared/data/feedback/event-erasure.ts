import { finishedWithin } from '../../domain/concurrently.ts';
import { erasedEmail } from '../../domain/email-address.ts';
import { type Key, partitions } from '../keys.ts';
import * as table from '../table.ts';
import * as nativeEvents from './native-events.ts';

/** Rows that are anonymized at once. */
const concurrency = 32;

/** How many events the team has for an address, native ones included: those that are found within a time. */
export async function countOf(
  teamId: number,
  email: string,
  withinMs: number,
): Promise<{ count: number; exact: boolean }> {
  let [count, stopped] = [0, false];
  const add = async (found: AsyncIterable<object>) => {
    for await (const row of found) {
      if (stopped) return;
      if (!('reached' in row)) count++;
    }
  };
  const stored = table.queryAll(table.within(partitions.eventsOfEmail(teamId, email), { index: 'gsi1' }));
  const native = nativeEvents.ofEmail(teamId, email, ' ', '~')('forward', undefined, 100);
  const exact = await finishedWithin(withinMs, Promise.all([add(stored), add(native)]));
  stopped = true;
  return { count, exact };
}

/** Empties an address's events before a time; rows and counts stay. False when the deadline passed first. */
export async function anonymize(teamId: number, email: string, before: string, deadline: number): Promise<boolean> {
  for (;;) {
    let anonymized = 0;
    let next: Record<string, unknown> | undefined;
    do {
      const page: Awaited<ReturnType<typeof table.query<Key>>> = await table.query<Key>({
        IndexName: 'gsi1',
        KeyConditionExpression: 'gsi1pk = :pk AND gsi1sk < :before',
        ExpressionAttributeValues: { ':pk': partitions.eventsOfEmail(teamId, email), ':before': before },
        ExclusiveStartKey: next,
        Limit: 16 * concurrency,
      });
      for (let at = 0; at < page.items.length; at += concurrency) {
        if (Date.now() > deadline) return false;
        const some = page.items.slice(at, at + concurrency);
        anonymized += (await Promise.all(some.map((row) => anonymizeRow(row, email)))).filter(Boolean).length;
      }
      next = page.next;
    } while (next);
    // The index may lag behind the rows, and other requests may have written: done when there was nothing left to do.
    if (anonymized === 0) return true;
  }
}

function anonymizeRow({ pk, sk }: Key, email: string): Promise<boolean> {
  return table.writeIf({
    Key: { pk, sk },
    UpdateExpression: 'SET email = :anonymous, contact_id = :none, metadata = :empty REMOVE gsi1pk, gsi1sk',
    ConditionExpression: 'email = :email',
    ExpressionAttributeValues: { ':anonymous': erasedEmail, ':none': null, ':empty': {}, ':email': email },
  });
}
