import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { DomainEvent } from '../domain/domain-event.ts';
import type { WebhookEventType } from '../domain/webhooks/webhook-event.ts';
import { config } from './config.ts';
import { lazily } from './lazily.ts';
import { unlogged } from './unlogged.ts';

const sqs = lazily(() =>
  unlogged(
    new SQSClient({
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
    }),
  ),
);

/** A page of recipients to send: its number, and where it is stored. */
export interface PageMessage {
  team_id: number;
  campaign_id: number;
  page: number;
  /** Sort key of the page of recipients. */
  leaf: string;
  /** How many of its recipients are to be sent; absent in messages of the version before. */
  count?: number;
  /** The reserved moment to send them at, in milliseconds since the epoch. */
  at?: number;
}

interface TeamMessage {
  team_id: number;
}

/** Domain events of one team, as they were committed together. */
export interface DomainEventsMessage {
  team_id: number;
  notices: readonly DomainEvent[];
  /** When they were committed. */
  at: string;
  /** Webhooks and sequences are not told: they were before it was queued again, or nothing has changed for them. */
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

/** Queues webhook events for their endpoints; throws when one was not accepted. */
export const queueWebhooks = (messages: readonly WebhookMessage[]): Promise<void> =>
  queueAll(config.webhookQueueUrl, messages);

/** A shard of a sequence whose due steps are to be sent. */
export interface ShardMessage {
  team_id: number;
  sequence_id: number;
  lane: number;
  /** The shard's current token; when the shard has another, another message has replaced this one. */
  token: string;
  /** It takes the turn on a shard that has no message. */
  begins?: true | undefined;
  /** The last due subscriber that was handled. */
  after?: string;
  /** The moment that is reserved for its next page, in milliseconds since the epoch. */
  at?: number;
}

/**
 * Queues pages for the send workers, each with a delay in seconds; throws when one was not accepted, so the caller's
 * cursor stays behind.
 */
export const queuePages = (messages: readonly PageMessage[], delays: readonly number[]): Promise<void> =>
  queueAll(config.sendQueueUrl, messages, delays);

/** Queues domain events for their handlers; throws when one was not accepted. */
export const queueDomainEvents = (messages: readonly DomainEventsMessage[]): Promise<void> =>
  queueAll(config.noticeQueueUrl, messages);

/** Queues shards for the workers that send steps; throws when one was not accepted. */
export const queueShards = (messages: readonly ShardMessage[]): Promise<void> =>
  queueAll(config.sequenceQueueUrl, messages);

/** A job that is due: where it is stored, and the worker that had it last. */
export interface JobMessage {
  /** Absent for the platform's own jobs. */
  team_id?: number;
  kind: string;
  pk: string;
  sk: string;
  worker?: string;
}

/** Queues up to ten jobs; returns the places of those that SQS refused. */
export async function queueJobs(messages: readonly JobMessage[]): Promise<number[]> {
  const entries = messages.map((message) => entryOf(message));
  return (await sendBatch(config.jobQueueUrl, entries)).map(({ Id }) => Number(Id));
}

/** A call may hold this much: SQS takes 256 KB. */
const callBytes = 250_000;

type Entry = Omit<SendMessageBatchRequestEntry, 'Id'>;

/** A message in a call. Its group makes the queue fair: SQS puts a team with many messages in flight behind others. */
const entryOf = (message: Partial<TeamMessage>, delaySeconds = 0): Entry => ({
  MessageBody: JSON.stringify(message),
  MessageGroupId: String(message.team_id ?? 'platform'),
  ...(delaySeconds > 0 && { DelaySeconds: Math.min(900, Math.ceil(delaySeconds)) }),
});

/** Entries, in as few calls as can hold them. */
function callsFor(entries: readonly Entry[]): Entry[][] {
  const calls: Entry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.MessageBody!);
    if (calls.length === 0 || calls.at(-1)!.length === 10 || size > room) {
      calls.push([]);
      room = callBytes;
    }
    calls.at(-1)!.push(entry);
    room -= size;
  }
  return calls;
}

/** Sends up to ten messages; returns what SQS says of those that it refused, with their places as `Id`. */
async function sendBatch(QueueUrl: string, entries: readonly Entry[]) {
  const Entries = entries.map((entry, index) => ({ ...entry, Id: String(index) }));
  const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  return Failed;
}

/** Queues messages, ten to a call; the error for messages that SQS refused has the first one's code as its name. */
async function queueAll(
  QueueUrl: string,
  messages: readonly TeamMessage[],
  delays: readonly number[] = [],
): Promise<void> {
  const entries = messages.map((message, index) => entryOf(message, delays[index]));
  await Promise.all(
    callsFor(entries).map(async (batch) => {
      const failed = await sendBatch(QueueUrl, batch);
      const [first] = failed;
      if (!first) return;
      const message = `SQS refused ${failed.length} of ${batch.length} messages`;
      throw Object.assign(new Error(message), { name: first.Code ?? 'Refused' });
    }),
  );
}

/** Queues a page again after a delay, as a new message with no failed attempts. */
export const queuePageLater = (message: PageMessage, delaySeconds: number): Promise<void> =>
  queueLater(config.sendQueueUrl, message, delaySeconds);

/** Queues domain events again after a delay, as a new message with no failed attempts. */
export const queueDomainEventsLater = (message: DomainEventsMessage, delaySeconds: number): Promise<void> =>
  queueLater(config.noticeQueueUrl, message, delaySeconds);

/** Queues a shard again after a delay, as a new message with no failed attempts. */
export const queueShardLater = (message: ShardMessage, delaySeconds: number): Promise<void> =>
  queueLater(config.sequenceQueueUrl, message, delaySeconds);

/** Queues a message with a delay, of a quarter of an hour at most. */
async function queueLater(QueueUrl: string, message: TeamMessage, delaySeconds: number): Promise<void> {
  const entry = entryOf(message, Math.max(1, delaySeconds));
  await sqs().send(new SendMessageCommand({ QueueUrl, ...entry }));
}

/**
 * Moves messages of a dead-letter queue back to their queue, until none is left or the deadline; returns how many.
 * A message may be moved twice.
 */
export async function redrive([deadLetters, queue]: readonly [string, string], deadline: number): Promise<number> {
  let moved = 0;
  while (Date.now() < deadline) {
    const { Messages = [] } = await sqs().send(
      new ReceiveMessageCommand({
        QueueUrl: deadLetters,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['MessageGroupId'],
      }),
    );
    if (Messages.length === 0) break;
    const entries = Messages.map(({ Body, Attributes, ReceiptHandle }, index) => ({
      Id: String(index),
      MessageBody: Body,
      MessageGroupId: Attributes?.MessageGroupId,
      ReceiptHandle,
    }));
    const { Successful = [] } = await sqs().send(
      new SendMessageBatchCommand({
        QueueUrl: queue,
        Entries: entries.map(({ ReceiptHandle: _, ...entry }) => entry),
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
