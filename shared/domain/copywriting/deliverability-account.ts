import type { Check } from './deliverability-check.ts';

/** What mailbox providers know of the account, from its own last campaigns. */
export interface AccountSignals {
  /** Messages accepted, bounced and complained about, over the last campaigns. */
  sent: number;
  bounced: number;
  complained: number;
  /** Whether a sending domain of the team is verified (DKIM). */
  domainVerified: boolean;
  suspended: boolean;
}

/** Messages from which on a rate says something. */
const fewestSent = 100;

/** Judges the account's reputation. */
export function accountFindings({ sent, bounced, complained, domainVerified, suspended }: AccountSignals): Check[] {
  const checks: Check[] = [
    domainVerified
      ? { code: 'domain_unauthenticated', fine: 'A sending domain is verified and signs messages (DKIM).' }
      : {
          code: 'domain_unauthenticated',
          points: 25,
          problem: 'No sending domain is verified: messages cannot be signed.',
          remedy: 'Add a sending domain and publish its DNS records.',
        },
  ];
  if (suspended)
    checks.push({
      code: 'sending_suspended',
      points: 40,
      problem: 'Sending is suspended for this account.',
      remedy: 'Ask the operator what has to change.',
    });
  if (sent < fewestSent) {
    checks.push({ code: 'account_history', fine: `Too few messages (${sent}) to judge bounces and complaints by.` });
    return checks;
  }
  checks.push(
    rate('bounce_rate', 'bounced', bounced / sent, [
      [0.1, 30],
      [0.05, 18],
      [0.02, 6],
    ]),
    rate('complaint_rate', 'were reported as spam', complained / sent, [
      [0.003, 30],
      [0.001, 15],
    ]),
  );
  return checks;
}

const remedies: Record<string, string> = {
  bounce_rate: 'Remove addresses that bounce and confirm new ones (double opt-in).',
  complaint_rate: 'Write only to people who asked for it, and make unsubscribing easy.',
};

/** `steps`: from which part of the messages on it costs how many points, the worst first. */
function rate(code: string, what: string, part: number, steps: readonly (readonly [number, number])[]): Check {
  const percent = `${(part * 100).toFixed(2)}%`;
  const step = steps.find(([from]) => part >= from);
  if (!step) return { code, fine: `${percent} of the last messages ${what}.` };
  return {
    code,
    points: step[1],
    problem: `${percent} of the last messages ${what}; below ${steps.at(-1)![0] * 100}% is good.`,
    remedy: remedies[code]!,
  };
}
