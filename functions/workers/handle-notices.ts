import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { log } from '../../shared/aws/log.ts';
import type { DomainEventsMessage } from '../../shared/aws/queue.ts';
import { concurrently } from '../../shared/domain/concurrently.ts';
import { handleDomainEvents } from '../../shared/flows/handle-domain-events.ts';

const lanes = 4;
/** Longer than one message of ours takes: rate wait and provider call. */
const marginMs = 30_000;

/** Lets those who react to notices do so; only what must come back is reported as failed. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const deadline = Date.now() + context.getRemainingTimeInMillis() - marginMs;
  const failures = await concurrently(event.Records, lanes, async ({ messageId, body }) => {
    try {
      await handleDomainEvents(JSON.parse(body) as DomainEventsMessage, deadline);
      return [];
    } catch (error) {
      log.error('notices not handled', { error: (error as Error).name, message_id: messageId });
      return [{ itemIdentifier: messageId }];
    }
  });
  return { batchItemFailures: failures.flat() };
}
