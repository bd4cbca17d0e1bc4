import type { AccountLimits } from '../messages/account-limits.ts';
import { type SendingPrice, sendingPrice } from '../messages/sending-price.ts';

/** Warnings: the send is allowed, but will not reach all recipients soon. */
export const sendWarnings = ['account_in_sandbox', 'account_sending_disabled', 'daily_quota_insufficient'] as const;

/** One warning. */
export type SendWarning = (typeof sendWarnings)[number];

const daySeconds = 86_400;

/** The duration and cost of a send at a share of the account's rate and within its daily quota, with warnings. */
export function estimateSend(
  recipients: number,
  account: AccountLimits,
  shareOfRate: number,
): { seconds: number; price: SendingPrice; warnings: SendWarning[] } {
  const quotaLeft = Math.max(0, account.max24HourSend - account.sentLast24Hours);
  const beyondQuota = account.max24HourSend < 0 ? 0 : Math.max(0, recipients - quotaLeft);
  const days = beyondQuota === 0 ? 0 : Math.ceil(beyondQuota / Math.max(1, account.max24HourSend));
  const today = (recipients - beyondQuota) / (account.maxSendRate * shareOfRate);
  const lastDay = (beyondQuota % Math.max(1, account.max24HourSend)) / (account.maxSendRate * shareOfRate);
  const all: [SendWarning, boolean][] = [
    ['account_in_sandbox', account.inSandbox],
    ['account_sending_disabled', !account.sendingEnabled],
    ['daily_quota_insufficient', beyondQuota > 0],
  ];
  return {
    seconds: Math.ceil(days === 0 ? today : days * daySeconds + lastDay),
    price: sendingPrice(recipients, account.pricingPlan ?? 'NONE'),
    warnings: all.flatMap(([word, applies]) => (applies ? [word] : [])),
  };
}
