import * as mailer from '../aws/mailer.ts';
import * as sendRate from '../data/send-rate.ts';

/** Waits until the account may send `count` messages more; where too much is booked before them, returns in how many milliseconds to come again. */
export async function waitForRate(count: number): Promise<number | undefined> {
  if (count === 0) return undefined;
  const { maxSendRate } = await mailer.readAccount();
  const booking = await sendRate.book(count, maxSendRate * sendRate.shareOfAccountRate);
  if ('comeBackInMs' in booking) return booking.comeBackInMs;
  if (booking.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, booking.waitMs));
  return undefined;
}
