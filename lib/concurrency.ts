/** Invocations at once of the workers of queues, where the account allows all of them. */
const wanted = {
  // Each has 0.29 of a processor: together 14, for ten thousand events a second at a millisecond or more each.
  'apply-feedback': 50,
  'deliver-webhook': 100,
  'handle-notices': 10,
  'run-job': 100,
  'send-page': 20,
  'send-steps': 20,
} as const;

/** A worker that takes the messages of a queue. */
export type QueueWorkerName = keyof typeof wanted;

/** Lambda accepts no smaller maximum for a queue (CreateEventSourceMapping, ScalingConfig). */
const smallest = 2;

const names = Object.keys(wanted) as QueueWorkerName[];
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
const wantedTogether = sumOf(Object.values(wanted));

/** Below this many invocations at once in the account the workers alone can take more than half of them. */
export const smallestAccount = 2 * smallest * names.length;

/** From this many invocations at once in the account on, every worker may have what it wants. */
export const amplestAccount = 2 * wantedTogether;

/**
 * Invocations at once per worker in an account that may run `account` functions at once: together at most half of them
 * (from `smallestAccount` on), so that the API and the workflows always find room. Without a number: all they want.
 */
export function workerConcurrency(account = amplestAccount): Record<QueueWorkerName, number> {
  const least = smallest * names.length;
  const share = Math.min(1, Math.max(0, Math.floor(account / 2) - least) / (wantedTogether - least));
  const allowed = names.map((name) => [name, smallest + Math.floor((wanted[name] - smallest) * share)]);
  return Object.fromEntries(allowed) as Record<QueueWorkerName, number>;
}

/** Invocations at once of all workers together. */
export const workersTogether = (account?: number): number => sumOf(Object.values(workerConcurrency(account)));

/**
 * Invocations at once that only the AI tools have, and never exceed: a twentieth of the account's, 50 at most.
 * Undefined where that leaves fewer than 100 to others, which Lambda refuses, and in an account that is not known.
 */
export function aiConcurrency(account = 0): number | undefined {
  const reserved = Math.min(50, Math.floor(account / 20));
  return account - reserved >= 100 ? reserved : undefined;
}
