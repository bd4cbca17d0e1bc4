import { appendFileSync, closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { real } from '../clock.ts';
import { reading } from '../data-folder.ts';
import type { Queue } from './queue-types.ts';

type Message = Queue['messages'][number];
type Kept = { queue: string; message: Message };
type Entry = ({ add: number } & Kept) | { remove: number };

/** The file is compacted after so many entries. */
const compactAfter = 20_000;

/** Keeps queue messages on disk until they are deleted, as SQS does, so that a killed stack loses none. */
export interface QueueJournal {
  /** Restores the messages of an earlier run into the queue, and records its changes from now on. */
  attach(queue: Queue): void;
  /** Resolves when all changes so far are in the file. */
  written(): Promise<void>;
  close(): void;
}

/** Opens the journal; after a restart, messages in flight are visible again with a receive count of 0. */
export function openQueueJournal(file: string): QueueJournal {
  const leftMessages = readMessages(file);
  const kept = new Map<number, Kept>();
  const numbers = new WeakMap<Message, number>();
  let next = 1;
  let descriptor = -1;
  let entries = 0;
  let closed = false;
  let lines: string[] = [];
  let batch: PromiseWithResolvers<void> | undefined;

  function write(entry: Entry): void {
    if (closed) return;
    lines.push(JSON.stringify(entry));
    if (batch) return;
    batch = Promise.withResolvers();
    real.setImmediate(flush);
  }

  function flush(): void {
    if (closed || lines.length === 0) return;
    const done = batch;
    if (entries + lines.length > compactAfter + 2 * kept.size || descriptor === -1) compact();
    else appendFileSync(descriptor, `${lines.join('\n')}\n`);
    entries += lines.length;
    lines = [];
    batch = undefined;
    done?.resolve();
  }

  /** Writes the kept messages to a new file, which then replaces the old one. */
  function compact(): void {
    const content = [...kept].map(
      ([number, { queue, message }]) => `${JSON.stringify({ add: number, queue, message })}\n`,
    );
    const replacement = openSync(`${file}.new`, 'w');
    appendFileSync(replacement, content.join(''));
    renameSync(`${file}.new`, file);
    if (descriptor !== -1) closeSync(descriptor);
    descriptor = replacement;
    entries = 0;
  }

  function added(queue: string, message: Message): void {
    removed(message);
    const number = next++;
    numbers.set(message, number);
    kept.set(number, { queue, message });
    write({ add: number, queue, message });
  }

  function removed(message: Message): void {
    const number = numbers.get(message);
    if (number === undefined || !kept.delete(number)) return;
    write({ remove: number });
  }

  return {
    attach(queue) {
      const { enqueue, deleteMessage, purge } = queue;
      queue.enqueue = (message) => {
        added(queue.name, message);
        enqueue.call(queue, message);
      };
      queue.deleteMessage = (receiptHandle) => {
        const message = queue.inflightMessages.get(receiptHandle)?.message;
        if (message) removed(message);
        return deleteMessage.call(queue, receiptHandle);
      };
      queue.purge = () => {
        for (const { queue: name, message } of [...kept.values()]) if (name === queue.name) removed(message);
        purge.call(queue);
      };
      for (const { message } of leftMessages.get(queue.name) ?? [])
        queue.enqueue({ ...message, approximateReceiveCount: 0 });
    },
    written: () => batch?.promise ?? Promise.resolve(),
    close() {
      flush();
      closed = true;
      if (descriptor !== -1) closeSync(descriptor);
    },
  };
}

/** Messages that were added and not removed, by queue. A truncated last line was never confirmed and is dropped. */
function readMessages(file: string): Map<string, Kept[]> {
  const found = new Map<number, Kept>();
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  lines.pop();
  for (const line of lines) {
    const entry: Entry = reading(file, () => JSON.parse(line));
    if ('add' in entry) found.set(entry.add, entry);
    else found.delete(entry.remove);
  }
  return Map.groupBy(found.values(), ({ queue }) => queue);
}
