import { timestamp } from '../time.ts';

/** How long a campaign with unknown recipients stays open for SES's events to settle them, in seconds. */
export const openForUnknownSeconds = 15 * 60;

/** Milliseconds after which SES has reported on every message that it accepted (maxDeliveryDuration in lib/mail.ts). */
export const settledMs = 5 * 60 * 60_000;

/** Why a recipient stays unknown. */
export const neverReported = 'the provider never said whether it accepted the message';

interface Ended {
  status: string;
  ended_at?: string;
  updated_at: string;
}

/** Until when SES may report on the unknown recipients of a campaign; undefined while the campaign may send. */
export function reportsUntil({ status, ended_at, updated_at }: Ended): string | undefined {
  if (status !== 'partial' && status !== 'cancelled') return undefined;
  // A campaign that ended before `ended_at` was written: each look at SES's events has updated it, the last one too.
  return timestamp(Date.parse(ended_at ?? updated_at) + settledMs);
}

/** Whether SES has had the time to report on every message of a campaign that is over. */
export const isSettled = (campaign: Ended): boolean => (reportsUntil(campaign) ?? '~') <= timestamp();

/** What there is to say of a campaign's unknown recipients. */
export function unknownInWords(campaign: Ended): string {
  if (isSettled(campaign)) return `${neverReported}; to send to them again may give some of them two copies`;
  const until = reportsUntil(campaign);
  return `the provider's answer was lost; it may still report on them${until ? ` until ${until}` : ''}`;
}
