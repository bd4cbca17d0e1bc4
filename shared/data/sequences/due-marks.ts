import { concurrently } from '../../domain/concurrently.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** The number of partitions that the marks of all teams are spread over. */
export const markShards = 16;

const writesAtOnce = 16;
/** Longer than the writer of a subscriber lives, an index lags, or a shard's message is silent. */
const settledMs = 3 * 60_000;

/** A note that somebody is due at a time in a shard of a sequence; without a `lane` in any of its shards. */
export interface DueMark extends Key {
  team_id: number;
  sequence_id: number;
  lane?: number;
  /** When the shard was queued for it. */
  queued_at?: string;
}

/** A shard, or all of them, and when somebody is due there, in milliseconds since the epoch; a past time means now. */
export interface Waiting {
  shard?: number | undefined;
  dueAt: number;
}

/** A mark as an item. */
export function toItem(teamId: number, sequenceId: number, { shard, dueAt }: Waiting): DueMark {
  const at = timestamp(Math.max(dueAt, Date.now()));
  const key = keys.dueMark((teamId + sequenceId + (shard ?? 0)) % markShards, at, teamId, sequenceId, shard ?? 'all');
  return { ...key, team_id: teamId, sequence_id: sequenceId, ...(shard !== undefined && { lane: shard }) };
}

/** Marks when somebody is due. To be written before the subscriber that waits, so that no crash loses it. */
export async function put(teamId: number, sequenceId: number, waiting: readonly Waiting[]): Promise<void> {
  const items = waiting.map((one) => toItem(teamId, sequenceId, one));
  const distinct = [...new Map(items.map((item) => [item.sk, item])).values()];
  await concurrently(distinct, writesAtOnce, (Item) => table.put({ Item }));
}

/** Up to `limit` marks whose time has come, of one partition, oldest first, after a position, which is a sort key. */
export async function dueNow(markShard: number, after: string | undefined, limit: number): Promise<DueMark[]> {
  const range = table.within(partitions.dueMarks(markShard), { between: [`${after ?? ''} `, `${timestamp()}~`] });
  return (await table.query<DueMark>({ ...range, Limit: limit })).items;
}

/** Whether what was written after a mark is in the index by now, and the message queued for it is done or lost. */
export const isSettled = ({ queued_at }: DueMark): boolean =>
  queued_at !== undefined && Date.parse(queued_at) < Date.now() - settledMs;

/** Notes that the shards of marks are queued. */
export function noteQueued(marks: readonly DueMark[]): Promise<void> {
  const queued_at = timestamp();
  return table.batchPut(marks.map((mark) => ({ ...mark, queued_at })));
}

/** Removes marks. */
export async function remove(marks: readonly DueMark[]): Promise<void> {
  await concurrently(marks, writesAtOnce, ({ pk, sk }) => table.remove({ Key: { pk, sk } }));
}
