import { logFailure } from '../../aws/log.ts';
import { queueShards, type ShardMessage } from '../../aws/queue.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import * as lanes from '../../data/sequences/shards.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import { concurrently } from '../../domain/concurrently.ts';

const lookups = 16;

/** Sets lanes of a sequence going on which somebody is due; those that go already are left alone. */
async function scheduleShards(teamId: number, sequenceId: number, wanted: readonly number[]): Promise<void> {
  const messages = await Promise.all(
    wanted.map(async (lane): Promise<ShardMessage[]> => {
      const token = await lanes.begin({ teamId, sequenceId, lane });
      return token ? [{ team_id: teamId, sequence_id: sequenceId, lane, token }] : [];
    }),
  );
  await queueShards(messages.flat());
}

/** Sets the lanes of addresses going that are due at once; where that fails, the sweep does it a minute later. */
export async function scheduleShardsOf(teamId: number, sequenceId: number, emails: readonly string[]): Promise<void> {
  try {
    await scheduleShards(teamId, sequenceId, [...new Set(emails.map(lanes.shardOf))]);
  } catch (error) {
    logFailure('shards not queued', error, { team_id: teamId, sequence_id: sequenceId }, 'warn');
  }
}

/** Sets every lane of every active sequence going on which somebody is due; until the deadline. */
export async function scheduleDueShards(deadline: number): Promise<void> {
  let batch: { team_id: number; sequence_id: number }[] = [];
  const sweep = async () => {
    await concurrently(batch, lookups, sweepSequence);
    batch = [];
  };
  for await (const sequence of sequences.active()) {
    batch.push(sequence);
    if (batch.length >= 10 * lookups) await sweep();
    if (Date.now() > deadline) return;
  }
  await sweep();
}

async function sweepSequence({ team_id, sequence_id }: { team_id: number; sequence_id: number }): Promise<void> {
  const all = Array.from({ length: lanes.shardCount }, (_, lane) => lane);
  try {
    const waiting = await Promise.all(all.map((lane) => subscribers.dueNow(team_id, sequence_id, lane, { limit: 1 })));
    const due = all.filter((lane) => waiting[lane]!.length > 0);
    await scheduleShards(team_id, sequence_id, due);
  } catch (error) {
    logFailure('due shards not queued', error, { team_id, sequence_id });
  }
}
