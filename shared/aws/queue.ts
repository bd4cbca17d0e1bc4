import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { config } from './config.ts';

let client: SQSClient | undefined;
const sqs = () => {
  client ??= new SQSClient({
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  return client;
};

/** A page of recipients to send: where its leaf lies, and its number. */
export interface PageMessage {
  team_id: number;
  campaign_id: number;
  page: number;
  /** Sort key of the leaf. */
  leaf: string;
}

/** Queues pages for the send workers, ten to a call; throws when one was not accepted, so the caller's cursor stays behind. */
export async function queuePages(messages: readonly PageMessage[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(messages.length / 10) }, (_, i) =>
    messages.slice(i * 10, i * 10 + 10),
  );
  await Promise.all(
    batches.map(async (batch) => {
      const { Failed = [] } = await sqs().send(
        new SendMessageBatchCommand({
          QueueUrl: config.sendQueueUrl,
          Entries: batch.map((message, index) => ({ Id: String(index), MessageBody: JSON.stringify(message) })),
        }),
      );
      if (Failed.length > 0)
        throw new Error(`SQS refused ${Failed.length} of ${batch.length} pages: ${Failed[0]!.Code}`);
    }),
  );
}

/** Queues a page again after a delay, of a quarter of an hour at most; its receipts are not counted as failures. */
export async function queuePageLater(message: PageMessage, delaySeconds: number): Promise<void> {
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: config.sendQueueUrl,
      MessageBody: JSON.stringify(message),
      DelaySeconds: Math.min(900, Math.max(1, Math.ceil(delaySeconds))),
    }),
  );
}
