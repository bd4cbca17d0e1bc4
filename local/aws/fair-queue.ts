import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queue } from './queue-types.ts';

/** The message groups of the call that is being answered, by the bodies of its messages. */
const groups = new AsyncLocalStorage<Map<string, string>>();

interface Entry {
  MessageBody?: string;
  MessageGroupId?: string;
}

/** Answers a call that sends messages, whose groups the engine ignores on a standard queue. */
export function withGroups<T>(body: Buffer, answer: () => Promise<T>): Promise<T> {
  if (!body.includes('"MessageGroupId"')) return answer();
  const sent = JSON.parse(body.toString()) as Entry & { Entries?: Entry[] };
  const entries = [sent, ...(sent.Entries ?? [])];
  const named = entries.flatMap(({ MessageBody, MessageGroupId }) =>
    MessageBody !== undefined && MessageGroupId !== undefined ? [[MessageBody, MessageGroupId] as const] : [],
  );
  return groups.run(new Map(named), answer);
}

/**
 * Makes a standard queue fair, as SQS does where messages have groups: a message of a group with few messages in flight
 * comes before those of one with many.
 */
export function makeFair(queue: Queue): void {
  const { enqueue, dequeue } = queue;
  let grouped = queue.messages.some(({ messageGroupId }) => messageGroupId !== undefined);
  queue.enqueue = (message) => {
    message.messageGroupId ??= groups.getStore()?.get(message.body);
    grouped ||= message.messageGroupId !== undefined;
    enqueue.call(queue, message);
  };
  queue.dequeue = (count, ...rest) => {
    if (!grouped) return dequeue.call(queue, count, ...rest);
    queue.processTimers();
    const received: ReturnType<typeof dequeue> = [];
    while (received.length < Math.min(count, 10)) {
      bringForward(queue);
      const [next] = dequeue.call(queue, 1, ...rest);
      if (!next) break;
      received.push(next);
    }
    return received;
  };
}

/** Moves the first message of the group with the fewest messages in flight to the front. */
function bringForward({ messages, inflightMessages }: Queue): void {
  const inFlight = new Map<string | undefined, number>();
  for (const { message } of inflightMessages.values())
    inFlight.set(message.messageGroupId, (inFlight.get(message.messageGroupId) ?? 0) + 1);
  let first = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (let index = 0; index < messages.length && fewest > 0; index++) {
    const { messageGroupId } = messages[index]!;
    const count = messageGroupId === undefined ? 0 : (inFlight.get(messageGroupId) ?? 0);
    if (count < fewest) [first, fewest] = [index, count];
  }
  if (first > 0) messages.unshift(...messages.splice(first, 1));
}
