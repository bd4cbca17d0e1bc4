import { logFailure } from '../../aws/log.ts';
import { queueShards, type ShardMessage } from '../../aws/queue.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import * as shards from '../../data/sequences/shards.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import { concurrently } from '../../domain/concurrently.ts';

const concurrency = 16;

/** Starts shards of a sequence; one that already has a message is left alone. */
async function scheduleShards(teamId: number, sequenceId: number, wanted: readonly number[]): Promise<void> {
  const messages = await Promise.all(
    wanted.map(async (shard): Promise<ShardMessage[]> => {
      const token = await shards.begin({ teamId, sequenceId, shard });
      return token ? [{ team_id: teamId, sequence_id: sequenceId, lane: shard, token }] : [];
    }),
  );
  await queueShards(messages.flat());
}

/** Starts the shards of addresses that are due at once; if that fails, the sweep starts them within a minute. */
export async function scheduleShardsOf(teamId: number, sequenceId: number, emails: readonly string[]): Promise<void> {
  try {
    await scheduleShards(teamId, sequenceId, [...new Set(emails.map(shards.shardOf))]);
  } catch (error) {
    logFailure('shards not queued', error, { team_id: teamId, sequence_id: sequenceId }, 'warn');
  }
}

/** Starts every shard with a due subscriber, of all active sequences; stops at the deadline. */
export async function scheduleDueShards(deadline: number): Promise<void> {
  let batch: { team_id: number; sequence_id: number }[] = [];
  const sweep = async () => {
    await concurrently(batch, concurrency, sweepSequence);
    batch = [];
  };
  for await (const sequence of sequences.active()) {
    batch.push(sequence);
    if (batch.length >= 10 * concurrency) await sweep();
    if (Date.now() > deadline) return;
  }
  await sweep();
}

async function sweepSequence({ team_id, sequence_id }: { team_id: number; sequence_id: number }): Promise<void> {
  const all = Array.from({ length: shards.shardCount }, (_, shard) => shard);
  try {
    const first = await Promise.all(all.map((shard) => subscribers.dueNow(team_id, sequence_id, shard, { limit: 1 })));
    const due = all.filter((shard) => first[shard]!.length > 0);
    await scheduleShards(team_id, sequence_id, due);
  } catch (error) {
    logFailure('due shards not queued', error, { team_id, sequence_id });
  }
}
