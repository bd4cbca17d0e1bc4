import { randomUUID } from 'node:crypto';
import { logFailure } from '../../aws/log.ts';
import { queueShards, type ShardMessage } from '../../aws/queue.ts';

/** The message that begins a shard; it does nothing where the shard has a message. */
export const firstMessage = (teamId: number, sequenceId: number, shard: number): ShardMessage => ({
  team_id: teamId,
  sequence_id: sequenceId,
  lane: shard,
  token: randomUUID(),
  begins: true,
});

/** Queues shards in which somebody is due at once; if that fails, their marks do within a minute. */
export async function startShards(teamId: number, sequenceId: number, shards: readonly number[]): Promise<void> {
  try {
    await queueShards([...new Set(shards)].map((shard) => firstMessage(teamId, sequenceId, shard)));
  } catch (error) {
    logFailure('shards not queued', error, { team_id: teamId, sequence_id: sequenceId }, 'warn');
  }
}
