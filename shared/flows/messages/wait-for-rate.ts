import * as mailer from '../../aws/mailer.ts';
import * as sendRate from '../../data/messages/send-rate.ts';

/** Waits until `count` messages in bulk may be sent; returns milliseconds until a retry when that is too far ahead. */
export async function waitForRate(count: number): Promise<number | undefined> {
  if (count === 0) return undefined;
  const { maxSendRate } = await mailer.readAccount();
  return waitFor(await sendRate.reserve(count, maxSendRate));
}

/** As `waitForRate` for one message to one person, which has priority over campaigns and sequences. */
export async function waitForDirectRate(): Promise<number | undefined> {
  const { maxSendRate } = await mailer.readAccount();
  return waitFor(await sendRate.reserveDirect(maxSendRate));
}

async function waitFor(reservation: sendRate.Reservation): Promise<number | undefined> {
  if ('retryInMs' in reservation) return reservation.retryInMs;
  if (reservation.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, reservation.waitMs));
  return undefined;
}
