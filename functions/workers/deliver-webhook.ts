import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { log } from '../../shared/aws/log.ts';
import type { WebhookMessage } from '../../shared/aws/queue.ts';
import { concurrently } from '../../shared/domain/concurrently.ts';
import { deliver } from '../../shared/flows/webhooks/deliver.ts';

/** Makes the first attempts at the events of a batch, all at once; only those that must come back are reported as failed. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const failures = await concurrently(event.Records, event.Records.length, async ({ messageId, body }) => {
    try {
      await deliver(JSON.parse(body) as WebhookMessage);
      return [];
    } catch (error) {
      log.error('webhook not delivered', { error: (error as Error).name, message_id: messageId });
      return [{ itemIdentifier: messageId }];
    }
  });
  return { batchItemFailures: failures.flat() };
}
