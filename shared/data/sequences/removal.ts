import type { ExitReason } from '../../domain/sequences/sequence.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';
import { type Enrollee, type SubscriberItem, sequencesOf } from './subscribers.ts';

/** Rows that one transaction deletes. */
const rowsAtOnce = 100;

/** Replaces a contact's rows by anonymous ones, which keep the counts; a repetition changes nothing. */
export async function anonymize(teamId: number, { id, email }: Enrollee): Promise<void> {
  for (const sequenceId of await sequencesOf(teamId, id)) {
    const key = keys.sequenceSubscriber(teamId, sequenceId, email);
    let before = await table.get<SubscriberItem>(key);
    // A concurrent move came first; or the address belongs to another contact by now, which ends the loop.
    while (before?.contact_id === id && !(await replace(teamId, sequenceId, before)))
      before = await table.get<SubscriberItem>(key);
  }
}

function replace(teamId: number, sequenceId: number, before: SubscriberItem): Promise<boolean> {
  const { status, exit_reason, completed_at, current_step, enrolled_at, enrolled_by } = before;
  const { had, unknown, missed, last_at, counted_from } = before;
  const ended: Pick<SubscriberItem, 'status' | 'exit_reason'> =
    status === 'active' ? { status: 'exited', exit_reason: 'erased' satisfies ExitReason } : { status, exit_reason };
  // Older rows hold the provider's text as it came, with the address.
  if (status === 'failed') ended.exit_reason = undefined;
  const anonymous: SubscriberItem = {
    ...keys.erasedSubscriber(teamId, sequenceId, before.contact_id!),
    ...ended,
    ...{ completed_at, current_step, enrolled_at, enrolled_by, had, unknown, missed, last_at, counted_from },
    moves: before.moves + 1,
  };
  return table.transactIf([
    {
      Delete: {
        Key: { pk: before.pk, sk: before.sk },
        ConditionExpression: 'moves = :read',
        ExpressionAttributeValues: { ':read': before.moves },
      },
    },
    { Put: { Item: anonymous } },
  ]);
}

/** Deletes up to `limit` rows of a deleted sequence; true when none is left. */
export async function purge(teamId: number, sequenceId: number, limit: number): Promise<boolean> {
  const rowsOf = async (pk: string) => {
    const { items } = await table.query<Key>({
      ...table.within(pk),
      ProjectionExpression: 'pk, sk',
      ConsistentRead: true,
      Limit: rowsAtOnce,
    });
    return items;
  };
  for (let left = limit; left > 0; left -= rowsAtOnce) {
    const subscribers = await rowsOf(partitions.sequenceSubscribers(teamId, sequenceId));
    const gone = subscribers.length > 0 ? subscribers : await rowsOf(partitions.sequence(teamId, sequenceId));
    if (gone.length === 0) return true;
    await table.transact(gone.map(({ pk, sk }) => ({ Delete: { Key: { pk, sk } } })));
  }
  return false;
}
