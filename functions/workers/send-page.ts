import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { log } from '../../shared/aws/log.ts';
import { type PageMessage, queuePageLater } from '../../shared/aws/queue.ts';
import { concurrently } from '../../shared/domain/concurrently.ts';
import { sendPage } from '../../shared/flows/campaigns/send-page.ts';

/** Pages at once in one worker: few, for what is claimed when a worker dies stays unknown until the provider speaks. */
const lanes = 2;
/** Rate wait, provider call with its retries, commit: with less time than this no page is begun, or it would be cut off in the middle. */
const longestPageMs = 35_000;

/** Sends the pages of a batch; only those that must come back are reported as failed. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const failures = await concurrently(event.Records, lanes, async ({ messageId, body }) => {
    try {
      const page = JSON.parse(body) as PageMessage;
      if (context.getRemainingTimeInMillis() > longestPageMs) await sendPage(page);
      else await queuePageLater(page, 1);
      return [];
    } catch (error) {
      log.error('page not sent', { error: (error as Error).name });
      return [{ itemIdentifier: messageId }];
    }
  });
  return { batchItemFailures: failures.flat() };
}
