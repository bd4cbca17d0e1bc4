import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Notice } from '../domain/notice.ts';
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

/** Notices of one team, as they were committed together. */
export interface NoticesMessage {
  team_id: number;
  notices: readonly Notice[];
}

/** Queues pages for the send workers; throws when one was not accepted, so the caller's cursor stays behind. */
export function queuePages(messages: readonly PageMessage[]): Promise<void> {
  return queueAll(config.sendQueueUrl, messages);
}

/** Queues notices for those who react to them; throws when one was not accepted. */
export function queueNotices(messages: readonly NoticesMessage[]): Promise<void> {
  return queueAll(config.noticeQueueUrl, messages);
}

/** Queues messages, ten to a call. */
async function queueAll(QueueUrl: string, messages: readonly object[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(messages.length / 10) }, (_, i) =>
    messages.slice(i * 10, i * 10 + 10),
  );
  await Promise.all(
    batches.map(async (batch) => {
      const { Failed = [] } = await sqs().send(
        new SendMessageBatchCommand({
          QueueUrl,
          Entries: batch.map((message, index) => ({ Id: String(index), MessageBody: JSON.stringify(message) })),
        }),
      );
      if (Failed.length > 0)
        throw new Error(`SQS refused ${Failed.length} of ${batch.length} messages: ${Failed[0]!.Code}`);
    }),
  );
}

/** Queues a page again after a delay; its receipts are not counted as failures. */
export function queuePageLater(message: PageMessage, delaySeconds: number): Promise<void> {
  return queueLater(config.sendQueueUrl, message, delaySeconds);
}

/** Queues notices again after a delay; their receipts are not counted as failures. */
export function queueNoticesLater(message: NoticesMessage, delaySeconds: number): Promise<void> {
  return queueLater(config.noticeQueueUrl, message, delaySeconds);
}

/** Queues a message with a delay, of a quarter of an hour at most. */
async function queueLater(QueueUrl: string, message: object, delaySeconds: number): Promise<void> {
  await sqs().send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: JSON.stringify(message),
      DelaySeconds: Math.min(900, Math.max(1, Math.ceil(delaySeconds))),
    }),
  );
}
