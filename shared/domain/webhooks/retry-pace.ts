/** Seconds between a failed attempt and the next. */
const pauses = [5, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 10 * 3_600];

/** Seconds until the attempt after this one, counted from 1; undefined after the last. */
export const pauseAfter = (attempt: number): number | undefined => pauses[attempt - 1];

/** Deliveries in a row whose every attempt failed, after which an endpoint is switched off. */
export const exhaustedLimit = 30;
/** The same for an endpoint that has never accepted anything. */
export const neverAcceptedLimit = 3;

/** An endpoint that has failed for this long and accepted nothing since is switched off. */
export const silentLimitMs = 3 * 86_400_000;

/** An endpoint without a failure for this long had no delivery open (they pause for ten hours at most): it was idle. */
export const idleMs = 86_400_000;

/** Deliveries that are tried together first: all that an endpoint which is down gets before the next pause. */
export const firstBatch = 10;
const maxBatch = 100;

/** How many deliveries to try next: twice as many if all were accepted. */
export const nextBatch = (size: number, accepted: number): number =>
  accepted >= size ? Math.min(2 * size, maxBatch) : size;

/** Seconds between two batches for an endpoint that is down, by its failed attempts in a row. */
export const pauseWhileDown = (failures: number): number => Math.min(60, Math.max(1, Math.floor(failures / 10)));
