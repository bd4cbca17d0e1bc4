import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { logFailure } from '../aws/log.ts';
import { concurrently } from '../domain/concurrently.ts';
import { deadlineOf } from './deadline.ts';

/** How a worker handles the messages of its queue. */
export interface QueueWorker<M> {
  /** What the log says of a message that failed: `page not sent`. */
  failure: string;
  /** Messages handled at once. @default all of a batch */
  concurrency?: number;
  /** With less time than this, in milliseconds, no message is started. @default 0 */
  marginMs?: number;
  handle(message: M, deadline: number): Promise<void>;
  /** Queues a message again when the time is up. @default it is handled anyway */
  putBack?(message: M): Promise<void>;
  /** What the log line takes its ids from. @default the message */
  about?(message: M): object;
}

/** A Lambda handler for single messages; a failed or unreadable one is logged, and it alone returns to the queue. */
export function queueWorker<M extends object>(worker: QueueWorker<M>) {
  const { failure, concurrency, marginMs = 0, handle, putBack, about = (message: M) => message } = worker;
  return async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const deadline = deadlineOf(context, marginMs);
    const failed = await concurrently(Records, concurrency ?? Records.length, async ({ messageId, body }) => {
      let message: M | undefined;
      try {
        message = JSON.parse(body) as M;
        if (putBack && context.getRemainingTimeInMillis() <= marginMs) await putBack(message);
        else await handle(message, deadline);
        return [];
      } catch (error) {
        logFailure(failure, error, { ...(message && about(message)), message_id: messageId });
        return [messageId];
      }
    });
    return returned(failed.flat());
  };
}

/** Groups that are handled side by side. */
const groupsAtOnce = 16;

/** How a worker handles what the messages of its queue hold, by groups. */
export interface GroupWorker<T> {
  /** What the log says of what failed. */
  failure: string;
  /** With less time than this, in milliseconds, a group that failed is not taken apart any more. */
  marginMs: number;
  /** What a message holds; throws when it cannot be read. */
  read(body: string): readonly T[];
  groupOf(item: T): number;
  handle(group: number, items: readonly T[]): Promise<void>;
}

/** A Lambda handler that handles the items of a group together; a group that fails is halved to find what fails. */
export function groupWorker<T extends object>({ failure, marginMs, read, groupOf, handle }: GroupWorker<T>) {
  return async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const deadline = deadlineOf(context, marginMs);
    const failed = new Set<string>();
    const fail = (error: unknown, ids: readonly string[], about: object = {}) => {
      logFailure(failure, error, { ...about, ...(ids.length === 1 ? { message_id: ids[0] } : { message_ids: ids }) });
      for (const id of ids) failed.add(id);
    };
    const entries = Records.flatMap(({ messageId, body }) => {
      try {
        return read(body).map((item) => ({ item, messageId }));
      } catch (error) {
        fail(error, [messageId]);
        return [];
      }
    });
    const handleGroup = async (group: number, members: typeof entries): Promise<void> => {
      const items = members.map(({ item }) => item);
      try {
        await handle(group, items);
      } catch (error) {
        if (members.length === 1 || Date.now() >= deadline)
          return fail(error, [...new Set(members.map(({ messageId }) => messageId))], items[0]);
        const half = Math.ceil(members.length / 2);
        await handleGroup(group, members.slice(0, half));
        await handleGroup(group, members.slice(half));
      }
    };
    const groups = [...Map.groupBy(entries, ({ item }) => groupOf(item))];
    await concurrently(groups, groupsAtOnce, ([group, members]) => handleGroup(group, members));
    return returned([...failed]);
  };
}

const returned = (messageIds: readonly string[]): SQSBatchResponse => ({
  batchItemFailures: messageIds.map((itemIdentifier) => ({ itemIdentifier })),
});
