import { type Check, check } from './deliverability-check.ts';

/** The account's reputation, from its last campaigns. */
export interface AccountSignals {
  /** Messages accepted, bounced and complained about, over the last campaigns. */
  sent: number;
  bounced: number;
  complained: number;
  /** Whether a sending domain of the team is verified (DKIM). */
  domainVerified: boolean;
  suspended: boolean;
}

/** Fewer messages say nothing about a rate. */
const minSent = 100;

/** Judges the account's reputation. */
export function accountFindings({ sent, bounced, complained, domainVerified, suspended }: AccountSignals): Check[] {
  const authentication = check(
    'domain_unauthenticated',
    domainVerified ? 0 : 25,
    'No sending domain is verified: messages cannot be signed.',
    'Add a sending domain and publish its DNS records.',
    'A sending domain is verified and signs messages (DKIM).',
  );
  const suspension: Check = {
    code: 'sending_suspended',
    points: 40,
    problem: 'Sending is suspended for this account.',
    remedy: 'Ask the operator what has to change.',
  };
  const checks = suspended ? [authentication, suspension] : [authentication];
  if (sent < minSent)
    return [
      ...checks,
      { code: 'account_history', fine: `Too few messages (${sent}) to judge bounces and complaints by.` },
    ];
  const bounceLimits = [
    [0.1, 30],
    [0.05, 18],
    [0.02, 6],
  ] as const;
  const complaintLimits = [
    [0.003, 30],
    [0.001, 15],
  ] as const;
  return [
    ...checks,
    rateCheck('bounce_rate', 'bounced', bounced / sent, bounceLimits),
    rateCheck('complaint_rate', 'were reported as spam', complained / sent, complaintLimits),
  ];
}

const remedies: Record<string, string> = {
  bounce_rate: 'Remove addresses that bounce and confirm new ones (double opt-in).',
  complaint_rate: 'Write only to people who asked for it, and make unsubscribing easy.',
};

/** Judges a rate. `limits` are the points from each rate on, the worst first. */
function rateCheck(code: string, what: string, rate: number, limits: readonly (readonly [number, number])[]): Check {
  const percent = `${(rate * 100).toFixed(2)}%`;
  const points = limits.find(([from]) => rate >= from)?.[1] ?? 0;
  const problem = `${percent} of the last messages ${what}; below ${limits.at(-1)![0] * 100}% is good.`;
  return check(code, points, problem, remedies[code]!, `${percent} of the last messages ${what}.`);
}
