import * as sendRate from '../../data/messages/send-rate.ts';
import { accountLimits } from './account-limits.ts';

/** How long a worker waits for its moment, in milliseconds: a queue is cheaper for a longer wait. */
export const patienceMs = 2_000;

/** How far ahead bulk mail is reserved: campaigns as far as SQS delays a message, sequences so that campaigns go on. */
const horizonsMs = { campaign: 15 * 60_000, sequence: 30_000 };

/** The reserved moment, in milliseconds since the epoch; when it is far, after how long to come back. */
export type Slot = { at: number } | { delaySeconds: number; at?: number };

/**
 * Waits for the moment to send `count` messages of bulk mail: the one that is reserved, or one that it reserves. A
 * reservation that the queue delivers too late is made again.
 */
export async function acquireRate(
  kind: keyof typeof horizonsMs,
  count: number,
  reserved: number | undefined,
): Promise<Slot> {
  const { maxSendRate } = await accountLimits();
  const current = reserved !== undefined && reserved > Date.now() - patienceMs;
  const reservation = current ? { at: reserved } : await sendRate.reserve(count, maxSendRate, horizonsMs[kind]);
  if ('retryInMs' in reservation) return { delaySeconds: (reservation.retryInMs / 1000) * (1 + Math.random()) };
  const { at } = reservation;
  const leftMs = at - Date.now();
  if (leftMs > patienceMs) return { delaySeconds: leftMs / 1000, at };
  await sleep(leftMs);
  return { at };
}

/** Waits to send a message to one person, which goes before bulk mail; milliseconds until a retry when that is far. */
export async function waitForDirectRate(): Promise<number | undefined> {
  const { maxSendRate } = await accountLimits();
  const reservation = await sendRate.reserveDirect(maxSendRate);
  if ('retryInMs' in reservation) return reservation.retryInMs;
  await sleep(reservation.at - Date.now());
  return undefined;
}

/** Sleeps for so many milliseconds, if any. */
export async function sleep(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
