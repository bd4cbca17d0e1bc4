import { randomInt } from 'node:crypto';
import { concurrently } from '../../domain/concurrently.ts';
import { keys, partitions } from '../keys.ts';
import { resolved } from '../paging.ts';
import type { Numbered } from '../sources.ts';
import * as table from '../table.ts';

/** A kind of record that contacts are members of. */
export type Membership = 'list' | 'tag';

/** A change of the number of a list's or tag's live contacts. */
export interface CountChange {
  what: Membership;
  id: number;
  delta: number;
}

/** Two transactions at the same moment meet on a shard, and one runs again, once in so many times. */
const shards = 16;
/** Lists or tags whose counts are in the same rows, so that one Query reads those of a page. */
const recordsPerBlock = 16;
const concurrency = 8;

const blockOf = (id: number): number => Math.floor(id / recordsPerBlock);
const rowOf = ({ what, id }: Pick<CountChange, 'what' | 'id'>): string => `${what}#${blockOf(id)}`;

/** The rows of a transaction that count some changes. */
export const countRows = (changes: readonly Pick<CountChange, 'what' | 'id'>[]): Set<string> =>
  new Set(changes.map(rowOf));

/** The writes that count changes, on one shard; refused when a list or tag was deleted. */
export function countWrites(teamId: number, changes: readonly CountChange[]): table.TransactionWrite[] {
  const shard = randomInt(shards);
  return [...Map.groupBy(changes, rowOf).values()].map((some) => {
    const deltas = new Map<number, number>();
    for (const { id, delta } of some) deltas.set(id, (deltas.get(id) ?? 0) + delta);
    const ids = [...deltas.keys()];
    return {
      Update: {
        Key: keys.memberCounts(teamId, some[0]!.what, blockOf(ids[0]!), shard),
        UpdateExpression: `ADD ${ids.map((id) => `#count_${id} :${id}`).join(', ')}`,
        ConditionExpression: ids.map((id) => `attribute_not_exists(#deleted_${id})`).join(' AND '),
        ExpressionAttributeValues: Object.fromEntries([...deltas].map(([id, delta]) => [`:${id}`, delta])),
      },
    };
  });
}

/** Gives a deleted list or tag no more members: one shard after another, as imports write them all the time. */
export async function close(teamId: number, what: Membership, id: number): Promise<void> {
  for (let shard = 0; shard < shards; shard++)
    await table.update({
      Key: keys.memberCounts(teamId, what, blockOf(id), shard),
      UpdateExpression: `SET #deleted_${id} = :true`,
      ExpressionAttributeValues: { ':true': true },
    });
}

/** Records with their counts: what earlier versions counted in the record itself, and the shards. */
export async function withCounts<T extends { id: number; contacts_count: number }>(
  teamId: number,
  what: Membership,
  records: readonly T[],
): Promise<T[]> {
  const blocks = [...new Set(records.map(({ id }) => blockOf(id)))];
  const rows = await concurrently(blocks, concurrency, (block) =>
    table.all({ ...table.within(partitions.memberCounts(teamId, what, block)), ConsistentRead: true }),
  );
  const counted = rows.flat();
  return records.map((record) => {
    const contacts_count = counted.reduce((sum, row) => sum + (row[`count_${record.id}`] ?? 0), record.contacts_count);
    return { ...record, contacts_count };
  });
}

/** The reads of lists or tags, with their counts. */
export function counted<T extends { id: number; contacts_count: number }>(
  what: Membership,
  { find, batch, list }: Numbered<T>,
): Numbered<T> {
  return {
    find: async (teamId, id) => {
      const found = await find(teamId, id);
      return found && (await withCounts(teamId, what, [found]))[0];
    },
    batch: async (teamId, ids) => {
      const found = await batch(teamId, ids);
      const records = await withCounts(
        teamId,
        what,
        found.flatMap((record) => record ?? []),
      );
      const byId = new Map(records.map((record) => [record.id, record]));
      return ids.map((id) => byId.get(id));
    },
    list: (teamId) => resolved(list(teamId), (records) => withCounts(teamId, what, records)),
  };
}
