import { SesError } from './errors.ts';

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;
/** SES takes each call that does not send once a second, from the whole account. */
const CALL_INTERVAL = 1000;

/** The account's sending limits, counted in recipients as SES does. */
export interface SendingLimits {
  /** Takes `recipients` from the send rate; throws TooManyRequestsException while the account is over it. */
  takeRate(recipients: number): void;
  /** Recipients left of the daily quota; throws LimitExceededException when none are. */
  remaining(): number;
  /** Counts accepted recipients against the daily quota. */
  count(recipients: number): void;
  sentLast24Hours(): number;
  /** Recipients per second. */
  maxSendRate: number;
  /** Counts a call that does not send; throws TooManyRequestsException at a second one within a second. */
  takeCall(operation: string): void;
  /** Takes any number of such calls while `work` runs. */
  withoutCallLimit<T>(work: () => Promise<T>): Promise<T>;
  readonly max24HourSend: number;
}

/** Opens the limits with the recipients of earlier sends, by minute since the epoch. */
export function openLimits(
  { maxSendRate: initialRate, max24HourSend }: { maxSendRate: number; max24HourSend: number },
  sentByMinute: ReadonlyArray<{ minute: number; recipients: number }>,
): SendingLimits {
  const sent = new Map(sentByMinute.map(({ minute, recipients }) => [minute, recipients]));
  let total = sentByMinute.reduce((sum, { recipients }) => sum + recipients, 0);
  let tokens = initialRate;
  let refilledAt = Date.now();
  const calledAt = new Map<string, number>();
  let unlimited = 0;

  function sentLast24Hours(): number {
    const oldest = Math.floor(Date.now() / MINUTE) - DAY_MINUTES;
    for (const [minute, recipients] of sent) {
      if (minute > oldest) break; // minutes are added in order
      sent.delete(minute);
      total -= recipients;
    }
    return total;
  }

  return {
    maxSendRate: initialRate,
    max24HourSend,
    takeRate(recipients) {
      const { maxSendRate } = this;
      const now = Date.now();
      tokens = Math.min(maxSendRate, tokens + (Math.max(0, now - refilledAt) / 1000) * maxSendRate);
      refilledAt = now;
      // One free token admits a whole call; later calls are refused until the debt is paid back.
      if (tokens < 1) throw new SesError('TooManyRequestsException', 429, 'Maximum sending rate exceeded.');
      tokens -= recipients;
    },
    remaining() {
      const left = max24HourSend - sentLast24Hours();
      if (left <= 0) throw new SesError('LimitExceededException', 400, 'Daily message quota exceeded.');
      return left;
    },
    count(recipients) {
      if (recipients === 0) return;
      const minute = Math.floor(Date.now() / MINUTE);
      sent.set(minute, (sent.get(minute) ?? 0) + recipients);
      total += recipients;
    },
    sentLast24Hours,
    takeCall(operation) {
      const now = Date.now();
      if (unlimited > 0) return;
      if (now < (calledAt.get(operation) ?? 0) + CALL_INTERVAL)
        throw new SesError('TooManyRequestsException', 429, 'Rate exceeded');
      calledAt.set(operation, now);
    },
    async withoutCallLimit(work) {
      unlimited++;
      try {
        return await work();
      } finally {
        unlimited--;
      }
    },
  };
}
