/** Accepted messages, and their bounces and complaints. */
export type Outcome = Record<'sent' | 'bounced' | 'complained', number>;

/** Limits at which sending stops: a share of accepted messages, and the smallest number that counts. */
const limits = [
  { of: 'bounced', share: 0.1, min: 10, words: 'bounced' },
  { of: 'complained', share: 0.0015, min: 5, words: 'were reported as spam' },
] as const;

/** Accepted messages of a week below which it is not judged. */
const minOfWeek = 100;
/** The part of a send after which it is judged: a share of the audience, but at least this many messages. */
const watchedShare = 0.05;
const minWatched = 500;

/** Days of sends in a team's record. */
export const recordDays = 7;

/** Why an outcome exceeds the limits, in words; undefined while it does not. */
function fault({ sent, ...counts }: Outcome): string | undefined {
  for (const { of, share, min, words } of limits)
    if (counts[of] >= min && counts[of] >= sent * share)
      return `${counts[of]} of ${sent} accepted messages ${words}; the limit is ${+(share * 100).toFixed(2)}%`;
  return undefined;
}

/** Whether a week has enough messages to be judged. */
export const isJudged = (week: Outcome): boolean => week.sent >= minOfWeek;

/** Whether a team's last week blocks another send. */
export const blockedByReputation = (week: Outcome): boolean => isJudged(week) && fault(week) !== undefined;

/** Why a running send must pause, in words, by its outcome since it was resumed; undefined if it need not. */
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
  return since.sent >= Math.max(minWatched, recipients * watchedShare) ? fault(since) : undefined;
}

/** The sum of two outcomes. */
export const sumOf = (a: Outcome, b: Outcome): Outcome => ({
  sent: a.sent + b.sent,
  bounced: a.bounced + b.bounced,
  complained: a.complained + b.complained,
});

const maxForNewSender = 10_000;
const maxGrowth = 10;

/** The largest audience that needs no review, given the team's largest send so far. */
export const largestUnreviewed = (largestSend: number): number => Math.max(maxForNewSender, maxGrowth * largestSend);
