import { AsyncLocalStorage } from 'node:async_hooks';
import { Unavailable } from '../domain/errors.ts';

/** When a request's time is up, in milliseconds of `performance.now()`; undefined outside a request. */
const deadline = new AsyncLocalStorage<number | undefined>();

/** Longer than the last call of a request that begins in time, and its answer. */
const marginMs = 5_000;

/** Does a request's work in a function with so many milliseconds left; near their end it calls the table no more. */
export const withinRequest = <T>(leftMs: number, work: () => T): T =>
  deadline.run(performance.now() + leftMs - marginMs, work);

/** Does what a request must do at its end, also when its time is up. */
export const atTheEnd = <T>(work: () => T): T => deadline.run(undefined, work);

/** Throws 503 when the time of the request is up. */
export function checkDeadline(): void {
  const endsAt = deadline.getStore();
  if (endsAt === undefined || performance.now() < endsAt) return;
  throw new Unavailable(
    'The request took too long and has stopped. What it wrote stays: send it again, and it goes on.',
  );
}
