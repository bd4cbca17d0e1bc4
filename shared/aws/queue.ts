import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { DomainEvent } from '../domain/domain-event.ts';
import type { WebhookEventType } from '../domain/webhooks/webhook-event.ts';
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
export interface DomainEventsMessage {
  team_id: number;
  notices: readonly DomainEvent[];
  /** When they were committed. */
  at: string;
  /** They came back: webhooks have been told. */
  told?: true;
}

/** An event on its way to one endpoint. */
export interface WebhookMessage {
  team_id: number;
  webhook_id: number;
  event_id: string;
  type: WebhookEventType;
  /** The body as it is sent. */
  body: string;
}

/** Queues events for the endpoints that they are for; throws when one was not accepted. */
export function queueWebhooks(messages: readonly WebhookMessage[]): Promise<void> {
  return queueAll(config.webhookQueueUrl, messages);
}

/** Queues an event for an endpoint again after a delay; its receipts are not counted as failures. */
export function queueWebhookLater(message: WebhookMessage, delaySeconds: number): Promise<void> {
  return queueLater(config.webhookQueueUrl, message, delaySeconds);
}

/** A lane of a sequence to go on with: whom it sends its steps next. */
export interface ShardMessage {
  team_id: number;
  sequence_id: number;
  lane: number;
  /** What makes this message the lane's own: another one has taken over when the lane knows another. */
  token: string;
  /** How far the worker has come among those who are due. */
  after?: string;
}

/** Queues pages for the send workers; throws when one was not accepted, so the caller's cursor stays behind. */
export function queuePages(messages: readonly PageMessage[]): Promise<void> {
  return queueAll(config.sendQueueUrl, messages);
}

/** Queues notices for those who react to them; throws when one was not accepted. */
export function queueDomainEvents(messages: readonly DomainEventsMessage[]): Promise<void> {
  return queueAll(config.noticeQueueUrl, messages);
}

/** Queues lanes for the workers that send steps; throws when one was not accepted. */
export function queueShards(messages: readonly ShardMessage[]): Promise<void> {
  return queueAll(config.sequenceQueueUrl, messages);
}

/** What a call may hold: SQS takes 256 KB. */
const callBytes = 250_000;

/** Messages in as few calls as take them. */
function callsFor(messages: readonly object[]): string[][] {
  const calls: string[][] = [];
  let room = 0;
  for (const message of messages) {
    const text = JSON.stringify(message);
    const size = Buffer.byteLength(text);
    if (calls.length === 0 || calls.at(-1)!.length === 10 || size > room) {
      calls.push([]);
      room = callBytes;
    }
    calls.at(-1)!.push(text);
    room -= size;
  }
  return calls;
}

/** Queues messages, ten to a call. */
async function queueAll(QueueUrl: string, messages: readonly object[]): Promise<void> {
  await Promise.all(
    callsFor(messages).map(async (batch) => {
      const { Failed = [] } = await sqs().send(
        new SendMessageBatchCommand({
          QueueUrl,
          Entries: batch.map((MessageBody, index) => ({ Id: String(index), MessageBody })),
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
export function queueDomainEventsLater(message: DomainEventsMessage, delaySeconds: number): Promise<void> {
  return queueLater(config.noticeQueueUrl, message, delaySeconds);
}

/** Queues a lane again after a delay; its receipts are not counted as failures. */
export function queueShardLater(message: ShardMessage, delaySeconds: number): Promise<void> {
  return queueLater(config.sequenceQueueUrl, message, delaySeconds);
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

/** Puts messages of a dead-letter queue back on the queue that they came from until there are none, or the deadline comes; returns how many. One that is moved twice is handled twice. */
export async function redrive([deadLetters, queue]: readonly [string, string], deadline: number): Promise<number> {
  let moved = 0;
  while (Date.now() < deadline) {
    const { Messages = [] } = await sqs().send(
      new ReceiveMessageCommand({ QueueUrl: deadLetters, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    if (Messages.length === 0) break;
    const entries = Messages.map(({ Body, ReceiptHandle }, index) => ({ Id: String(index), Body, ReceiptHandle }));
    const { Successful = [] } = await sqs().send(
      new SendMessageBatchCommand({
        QueueUrl: queue,
        Entries: entries.map(({ Id, Body }) => ({ Id, MessageBody: Body })),
      }),
    );
    const sent = new Set(Successful.map(({ Id }) => Id));
    const done = entries.filter(({ Id }) => sent.has(Id));
    if (done.length === 0) break;
    await sqs().send(
      new DeleteMessageBatchCommand({
        QueueUrl: deadLetters,
        Entries: done.map(({ Id, ReceiptHandle }) => ({ Id, ReceiptHandle })),
      }),
    );
    moved += done.length;
  }
  return moved;
}
