import { scheduler } from 'node:timers/promises';
import type { PendingEvent } from './records.ts';
import type { Store } from './store.ts';

const BATCH = 50;
/** The pause between two batches while mail is being accepted, because sending has priority. */
const PAUSE_MS = 400;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

/** Publishes recorded events at least once, oldest first. */
export interface Outbox {
  /** Starts publishing `count` new events in the background. */
  notify(count: number): void;
  /** Events recorded but not yet published. */
  pending(): number;
  /** Resolves when publishing has stopped; pending events are published after the next start. */
  close(): Promise<void>;
}

/** Publishes the events of an earlier run, too; retries a failed event until it is published. */
export function openOutbox(store: Store, publish: (event: PendingEvent) => Promise<void>): Outbox {
  let pending = store.countEvents();
  let accepted = false;
  let closed = false;
  let stopWaiting = () => {};
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (true) {
      await yieldToRequests();
      if (closed || pending === 0) return;
      const batch = distinctMessages(store.nextEvents(BATCH));
      const results = await Promise.allSettled(batch.map(publish));
      const published = batch.filter((_, n) => results[n]!.status === 'fulfilled').map(({ id }) => id);
      store.dropEvents(published);
      pending -= published.length;
      const failed = published.length < batch.length;
      if (failed) await pause(retryMs);
      retryMs = failed ? Math.min(2 * retryMs, MAX_RETRY_MS) : FIRST_RETRY_MS;
    }
  }

  /** Lets requests run between two batches, for longer while mail is being accepted. */
  async function yieldToRequests(): Promise<void> {
    if (!accepted) return scheduler.yield();
    accepted = false;
    await pause(PAUSE_MS);
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      stopWaiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function start(): void {
    if (closed || pending === 0) return;
    running ??= drain().finally(() => {
      running = undefined;
      start();
    });
  }

  start();
  return {
    notify(count) {
      if (count === 0) return;
      pending += count;
      accepted = true;
      start();
    },
    pending: () => pending,
    async close() {
      closed = true;
      stopWaiting();
      await running;
    },
  };
}

/** The start of a batch up to a message's second event, so that the events of a message stay in order. */
function distinctMessages(events: PendingEvent[]): PendingEvent[] {
  const seen = new Set<number>();
  const repeated = events.findIndex(({ message }) => seen.size === seen.add(message).size);
  return repeated === -1 ? events : events.slice(0, repeated);
}
