import { logFailure } from '../../aws/log.ts';
import { queueShards, type ShardMessage } from '../../aws/queue.ts';
import type { Next } from '../../data/due-jobs.ts';
import * as marks from '../../data/sequences/due-marks.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import * as shards from '../../data/sequences/shards.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { timestamp } from '../../domain/time.ts';
import { firstMessage } from './schedule-shards.ts';

const concurrency = 16;
/** Marks, or sequences, that a job looks at before it looks at the time. */
const batchSize = 10 * concurrency;
/** Before the reconciler's next run. */
const nextRunMs = 5_000;
const sweepEveryMs = 60 * 60_000;
/** A subscriber that is due for this long has lost its mark. */
const overdueMs = 10 * 60_000;

const allShards = Array.from({ length: shards.shardCount }, (_, shard) => shard);

/** Queues every shard with a due subscriber, by the marks whose time has come; goes on from its cursor. */
export async function followMarks(
  { shard, cursor }: { shard: number; cursor?: string },
  deadline: number,
): Promise<Next> {
  const [first = shard, position] = cursor ? [Number(cursor.split(' ')[0]), cursor.split(' ')[1]] : [];
  let after = position || undefined;
  for (let markShard = first; markShard < marks.markShards; ) {
    const batch = await marks.dueNow(markShard, after, batchSize);
    await follow(batch);
    after = batch.length < batchSize ? undefined : batch.at(-1)!.sk;
    if (after === undefined) markShard += sequences.listShards;
    if (Date.now() > deadline) return { afterMs: 0, cursor: `${markShard} ${after ?? ''}` };
  }
  return { afterMs: nextRunMs };
}

/** A failure leaves the marks as they are, for the next run. */
async function follow(batch: readonly marks.DueMark[]): Promise<void> {
  const waiting = batch.filter((mark) => mark.queued_at === undefined || marks.isSettled(mark));
  const alike = [...Map.groupBy(waiting, ({ team_id, sequence_id, lane }) => `${team_id} ${sequence_id} ${lane}`)];
  try {
    const found = await concurrently(alike, concurrency, ([_shard, ofShard]) => look(ofShard));
    await queueShards(found.flatMap(({ messages }) => messages));
    await marks.noteQueued(found.flatMap(({ kept }) => kept));
    await marks.remove(found.flatMap(({ gone }) => gone));
  } catch (error) {
    logFailure('due shards not queued', error, {});
  }
}

/** What to do about a shard with marks: its messages, and the mark that stays for another look. */
interface Found {
  messages: ShardMessage[];
  kept: marks.DueMark[];
  gone: readonly marks.DueMark[];
}

/** What to do by the marks of one shard; nothing, until the next run, where that cannot be read. */
async function look(alike: readonly marks.DueMark[]): Promise<Found> {
  const [{ team_id, sequence_id }] = alike as [marks.DueMark];
  try {
    return await lookAt(alike);
  } catch (error) {
    logFailure('due shards not read', error, { team_id, sequence_id });
    return { messages: [], kept: [], gone: [] };
  }
}

/** A new mark needs no look: somebody is due. Any other one is gone once nobody is. */
async function lookAt(alike: readonly marks.DueMark[]): Promise<Found> {
  const [first, ...others] = alike as [marks.DueMark, ...marks.DueMark[]];
  const { team_id, sequence_id, lane } = first;
  const isNew = alike.some(({ queued_at }) => queued_at === undefined);
  const due = isNew && lane !== undefined ? [lane] : await dueShards(first);
  const messages = due.map((shard) => firstMessage(team_id, sequence_id, shard));
  return isNew || due.length > 0 ? { messages, kept: [first], gone: others } : { messages, kept: [], gone: alike };
}

/** The shards of a mark in which somebody is due; none of a sequence that is not active: activating it marks it. */
async function dueShards({ team_id, sequence_id, lane }: marks.DueMark): Promise<number[]> {
  const due = await concurrently(lane === undefined ? allShards : [lane], 4, async (shard) => {
    const next = await subscribers.nextDueAt(team_id, sequence_id, shard);
    if (next === undefined) return [];
    if (next <= timestamp()) return [shard];
    await markUnmarked(team_id, sequence_id, shard, next);
    return [];
  });
  const shards = due.flat();
  if (shards.length === 0) return shards;
  return (await sequences.find(team_id, sequence_id))?.status === 'active' ? shards : [];
}

/** Marks what the version before stored without a mark, and what has lost its own. */
async function markUnmarked(teamId: number, sequenceId: number, shard: number, next: string): Promise<void> {
  const dueAt = Date.parse(next);
  if (shard < shards.firstShards || dueAt < Date.now() - overdueMs)
    await marks.put(teamId, sequenceId, [{ shard, dueAt }]);
}

/** Marks what has no mark, of the active sequences that a shard of the list has; once an hour. */
export async function sweepSequences(
  { shard, cursor }: { shard: number; cursor?: string },
  deadline: number,
): Promise<Next> {
  for (let after = cursor; ; ) {
    const batch = await sequences.active(shard, after, batchSize);
    await concurrently(batch, concurrency, ({ team_id, sequence_id }) => sweep(team_id, sequence_id));
    if (batch.length < batchSize) return { afterMs: sweepEveryMs };
    after = batch.at(-1)!.sk;
    if (Date.now() > deadline) return { afterMs: 0, cursor: after };
  }
}

async function sweep(teamId: number, sequenceId: number): Promise<void> {
  try {
    await concurrently(allShards, 4, async (shard) => {
      const next = await subscribers.nextDueAt(teamId, sequenceId, shard);
      if (next !== undefined) await markUnmarked(teamId, sequenceId, shard, next);
    });
  } catch (error) {
    logFailure('sequence not swept', error, { team_id: teamId, sequence_id: sequenceId });
  }
}
