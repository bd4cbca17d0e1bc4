import { queueShardLater, type ShardMessage } from '../../shared/aws/queue.ts';
import { sendSteps } from '../../shared/flows/sequences/send-steps.ts';
import { queueWorker } from '../../shared/workers/batch.ts';

/** Sends a page of steps on each shard of a batch. */
export const handler = queueWorker<ShardMessage>({
  failure: 'steps not sent',
  // Few: what is claimed when a worker dies counts as sent.
  concurrency: 2,
  // Longer than the wait for the send rate, SES's answers, and moving every subscriber on: no page is cut off half-way.
  marginMs: 45_000,
  handle: sendSteps,
  putBack: (shard) => queueShardLater(shard, 1),
});
