import { logFailure } from '../../aws/log.ts';
import { queueShards, type ShardMessage } from '../../aws/queue.ts';
import type { Next } from '../../data/due-jobs.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import * as shards from '../../data/sequences/shards.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import { concurrently } from '../../domain/concurrently.ts';

const concurrency = 16;
/** Before the reconciler's next run. */
const nextSweepMs = 5_000;

/** Starts shards of a sequence; returns the messages to queue, none for one that already has a message. */
async function begin(teamId: number, sequenceId: number, wanted: readonly number[]): Promise<ShardMessage[]> {
  const messages = await Promise.all(
    wanted.map(async (shard): Promise<ShardMessage[]> => {
      const token = await shards.begin({ teamId, sequenceId, shard });
      return token ? [{ team_id: teamId, sequence_id: sequenceId, lane: shard, token }] : [];
    }),
  );
  return messages.flat();
}

/** Starts the shards of addresses that are due at once; if that fails, the sweep starts them within a minute. */
export async function scheduleShardsOf(teamId: number, sequenceId: number, emails: readonly string[]): Promise<void> {
  try {
    await queueShards(await begin(teamId, sequenceId, [...new Set(emails.map(shards.shardOf))]));
  } catch (error) {
    logFailure('shards not queued', error, { team_id: teamId, sequence_id: sequenceId }, 'warn');
  }
}

/** Sequences that a sweep looks at before it looks at the time. */
const batchSize = 10 * concurrency;

/** Starts every shard with a due subscriber, of the active sequences that a shard lists; goes on a run later. */
export async function sweepSequences(
  { shard, cursor }: { shard: number; cursor?: string },
  deadline: number,
): Promise<Next> {
  for (let after = cursor; ; ) {
    const batch = await sequences.active(shard, after, batchSize);
    await sweep(batch);
    if (batch.length < batchSize) return { afterMs: nextSweepMs };
    after = batch.at(-1)!.sk;
    if (Date.now() > deadline) return { afterMs: 0, cursor: after };
  }
}

/** A shard that cannot be queued is started again once its message counts as lost. */
async function sweep(batch: readonly sequences.ActiveSequence[]): Promise<void> {
  const begun = await concurrently(batch, concurrency, beginDue);
  try {
    await queueShards(begun.flat());
  } catch (error) {
    logFailure('due shards not queued', error, {});
  }
}

async function beginDue({ team_id, sequence_id }: sequences.ActiveSequence): Promise<ShardMessage[]> {
  const all = Array.from({ length: shards.shardCount }, (_, shard) => shard);
  try {
    const first = await Promise.all(all.map((shard) => subscribers.dueNow(team_id, sequence_id, shard, { limit: 1 })));
    const due = all.filter((shard) => first[shard]!.length > 0);
    return await begin(team_id, sequence_id, due);
  } catch (error) {
    logFailure('due shards not read', error, { team_id, sequence_id });
    return [];
  }
}
