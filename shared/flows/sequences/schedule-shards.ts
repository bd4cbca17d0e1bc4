import { randomUUID } from 'node:crypto';
import { logFailure } from '../../aws/log.ts';
import { queueShards, type ShardMessage } from '../../aws/queue.ts';
import { shardOf } from '../../data/sequences/shards.ts';

/** The message that begins a shard; it does nothing where the shard has a message. */
export const firstMessage = (teamId: number, sequenceId: number, shard: number): ShardMessage => ({
  team_id: teamId,
  sequence_id: sequenceId,
  lane: shard,
  token: randomUUID(),
  begins: true,
});

/** Queues the shards of addresses that are due at once; if that fails, their marks do within a minute. */
export async function scheduleShardsOf(teamId: number, sequenceId: number, emails: readonly string[]): Promise<void> {
  try {
    await queueShards([...new Set(emails.map(shardOf))].map((shard) => firstMessage(teamId, sequenceId, shard)));
  } catch (error) {
    logFailure('shards not queued', error, { team_id: teamId, sequence_id: sequenceId }, 'warn');
  }
}
