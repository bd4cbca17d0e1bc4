import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { log } from '../../shared/aws/log.ts';
import { queueShardLater, type ShardMessage } from '../../shared/aws/queue.ts';
import { concurrently } from '../../shared/domain/concurrently.ts';
import { sendSteps } from '../../shared/flows/sequences/send-steps.ts';

/** Pages at once in one worker: few, for what is claimed when a worker dies is taken for sent. */
const lanes = 2;
/** Rate wait, provider calls, everybody's move: with less time than this no page is begun, or it would be cut off in the middle. */
const longestPageMs = 45_000;

/** Sends a page on each of some lanes; only those that must come back are reported as failed. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const failures = await concurrently(event.Records, lanes, async ({ messageId, body }) => {
    try {
      const message = JSON.parse(body) as ShardMessage;
      if (context.getRemainingTimeInMillis() > longestPageMs) await sendSteps(message);
      else await queueShardLater(message, 1);
      return [];
    } catch (error) {
      log.error('steps not sent', { error: (error as Error).name });
      return [{ itemIdentifier: messageId }];
    }
  });
  return { batchItemFailures: failures.flat() };
}
