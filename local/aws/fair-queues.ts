import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queue } from './queue-types.ts';

type Message = Queue['messages'][number];

/** The group of each message of a request, by its body: the engine ignores groups on standard queues. */
const groups = new AsyncLocalStorage<Map<string, string>>();

interface SendRequest {
  MessageBody?: string;
  MessageGroupId?: string;
  Entries?: SendRequest[];
}

/** Runs `send` so that the messages it puts on queues keep the groups of its request. */
export function withGroups<T>(request: Buffer, send: () => T): T {
  if (!request.includes('"MessageGroupId"')) return send();
  const body = JSON.parse(request.toString()) as SendRequest;
  const sent = (body.Entries ?? [body]).flatMap(({ MessageBody, MessageGroupId }): [string, string][] =>
    MessageBody !== undefined && MessageGroupId !== undefined ? [[MessageBody, MessageGroupId]] : [],
  );
  return groups.run(new Map(sent), send);
}

/**
 * Makes a standard queue fair, as SQS does for messages with a group: a receive takes from the group with the fewest
 * messages in flight, and within it the oldest. A message without a group is a group of its own.
 */
export function makeFair(queue: Queue): void {
  const { enqueue, dequeue } = queue;
  let grouped = false;
  queue.enqueue = (message) => {
    message.messageGroupId ??= groups.getStore()?.get(message.body);
    grouped ||= message.messageGroupId !== undefined;
    enqueue.call(queue, message);
  };
  queue.dequeue = (count, ...rest) => {
    if (grouped) {
      queue.processTimers();
      queue.messages = fairOrder(queue, count);
    }
    return dequeue.call(queue, count, ...rest);
  };
}

/** The visible messages, those first that a receive of `count` takes. */
function fairOrder({ messages, inflightMessages }: Queue, count: number): Message[] {
  const groupOf = ({ messageGroupId, messageId }: Message) => messageGroupId ?? messageId;
  const waiting = Map.groupBy(messages, groupOf);
  if (waiting.size < 2) return messages;
  const inFlight = new Map<string, number>();
  const add = (group: string) => inFlight.set(group, (inFlight.get(group) ?? 0) + 1);
  for (const { message } of inflightMessages.values()) add(groupOf(message));
  const first = new Set<Message>();
  while (first.size < Math.min(count, messages.length)) {
    let [next, fewest] = ['', Number.POSITIVE_INFINITY];
    for (const [group, { length }] of waiting) {
      const flying = inFlight.get(group) ?? 0;
      if (length > 0 && flying < fewest) [next, fewest] = [group, flying];
    }
    first.add(waiting.get(next)!.shift()!);
    add(next);
  }
  return [...first, ...messages.filter((message) => !first.has(message))];
}
