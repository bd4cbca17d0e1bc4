/** Why an address is on a do-not-mail list. */
export const suppressionReasons = ['hard_bounce', 'soft_bounce', 'spam_report', 'unsubscribe', 'manual'] as const;

/** The reason of a suppression. */
export type SuppressionReason = (typeof suppressionReasons)[number];

const strength: Record<SuppressionReason, number> = {
  unsubscribe: 1,
  soft_bounce: 2,
  manual: 2,
  hard_bounce: 3,
  spam_report: 3,
};

/** Whether a new reason replaces an existing one: never a weaker one. */
export const overrides = (reason: SuppressionReason, standing: SuppressionReason): boolean =>
  strength[reason] >= strength[standing];

const simulator = '@simulator.amazonses.com';

/** Whether a provider's report suppresses the address for every team; like SES, we exempt its mailbox simulator. */
export const isPlatformWide = (reason: SuppressionReason, email: string): boolean =>
  (reason === 'hard_bounce' || reason === 'spam_report') && !email.endsWith(simulator);
