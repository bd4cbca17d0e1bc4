/** What came of accepted messages. */
export interface Outcome {
  sent: number;
  bounced: number;
  complained: number;
}

/** Shares of accepted messages at which a sender is stopped, and the least number that says anything. */
const limits = [
  { of: 'bounced', share: 0.1, least: 10, words: 'bounced' },
  { of: 'complained', share: 0.0015, least: 5, words: 'were reported as spam' },
] as const;

/** Accepted messages before a team's week says anything. */
const leastOfWeek = 100;
/** The first part of a send that is watched: a share of the audience, but at least so many. */
const watchedShare = 0.05;
const leastWatched = 500;

/** Days of sends that make a team's record. */
export const recordDays = 7;

/** Why an outcome is beyond the limits, in words; undefined while it is within them. */
function fault({ sent, ...counts }: Outcome): string | undefined {
  for (const { of, share, least, words } of limits)
    if (counts[of] >= least && counts[of] >= sent * share)
      return `${counts[of]} of ${sent} accepted messages ${words}; the limit is ${+(share * 100).toFixed(2)}%`;
  return undefined;
}

/** Whether a team's last days forbid it another send. */
export const blockedByReputation = (week: Outcome): boolean => week.sent >= leastOfWeek && fault(week) !== undefined;

/** Why a running send must pause, in words: what came of it since it was last resumed; undefined while too little is known or all is well. */
export function tripped(
  now: Outcome,
  recipients: number,
  from: Outcome = { sent: 0, bounced: 0, complained: 0 },
): string | undefined {
  const since = {
    sent: now.sent - from.sent,
    bounced: now.bounced - from.bounced,
    complained: now.complained - from.complained,
  };
  return since.sent >= Math.max(leastWatched, recipients * watchedShare) ? fault(since) : undefined;
}

/** The sum of two outcomes. */
export const sumOf = (a: Outcome, b: Outcome): Outcome => ({
  sent: a.sent + b.sent,
  bounced: a.bounced + b.bounced,
  complained: a.complained + b.complained,
});

const largestUnknown = 10_000;
const largestGrowth = 10;

/** The largest audience that is sent to without a review by somebody whose largest send had so many recipients. */
export const largestUnreviewed = (largestSend: number): number => Math.max(largestUnknown, largestGrowth * largestSend);
