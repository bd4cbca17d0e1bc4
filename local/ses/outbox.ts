import { scheduler } from 'node:timers/promises';
import type { PendingEvent } from './records.ts';
import type { Store } from './store.ts';

const BATCH = 50;
/** Sending comes first: while mail is being accepted, one batch goes out per this time. */
const PACE_MS = 400;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

/** Publishes recorded events, each at least once, oldest first. */
export interface Outbox {
  /** Tells that events were recorded; returns at once. */
  wake(recorded: number): void;
  /** Events recorded but not yet published. */
  pending(): number;
  /** Resolves when nothing is being published any more; what is left waits for the next start. */
  close(): Promise<void>;
}

/** Starts with what an earlier run left; a failed event is tried again until it is published. */
export function openOutbox(store: Store, publish: (event: PendingEvent) => Promise<void>): Outbox {
  let pending = store.countEvents();
  let accepted = false;
  let closed = false;
  let stopWaiting = () => {};
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (true) {
      await breathe();
      if (closed || pending === 0) return;
      const batch = distinctMessages(store.nextEvents(BATCH));
      const results = await Promise.allSettled(batch.map(publish));
      const published = batch.filter((_, n) => results[n]!.status === 'fulfilled').map(({ id }) => id);
      store.dropEvents(published);
      pending -= published.length;
      if (published.length === batch.length) {
        retryMs = FIRST_RETRY_MS;
      } else {
        await pause(retryMs);
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
      }
    }
  }

  /** Lets requests in between two batches, for longer while they send. */
  async function breathe(): Promise<void> {
    if (!accepted) return scheduler.yield();
    accepted = false;
    await pause(PACE_MS);
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
    wake(recorded) {
      if (recorded === 0) return;
      pending += recorded;
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

/** The longest head of a batch in which no message has two events, so that each message's stay in order. */
function distinctMessages(events: PendingEvent[]): PendingEvent[] {
  const seen = new Set<number>();
  const repeated = events.findIndex(({ message }) => seen.size === seen.add(message).size);
  return repeated === -1 ? events : events.slice(0, repeated);
}
