import * as mailer from '../../aws/mailer.ts';
import * as sendRate from '../../data/messages/send-rate.ts';

/** Waits until campaigns and sequences may send `count` messages more; where too much is booked before them, returns in how many milliseconds to come again. */
export async function waitForRate(count: number): Promise<number | undefined> {
  if (count === 0) return undefined;
  const { maxSendRate } = await mailer.readAccount();
  return waitFor(await sendRate.book(count, maxSendRate));
}

/** Waits until one more message to one person may be sent, which campaigns and sequences give way to; otherwise as `waitForRate`. */
export async function waitForDirectRate(): Promise<number | undefined> {
  const { maxSendRate } = await mailer.readAccount();
  return waitFor(await sendRate.bookDirect(maxSendRate));
}

async function waitFor(booking: sendRate.Booking): Promise<number | undefined> {
  if ('comeBackInMs' in booking) return booking.comeBackInMs;
  if (booking.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, booking.waitMs));
  return undefined;
}
