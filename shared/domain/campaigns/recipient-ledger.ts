/** One letter per recipient of a page, as the page row stores them. */
export const letters = {
  pending: 'p',
  sending: '-',
  sent: 's',
  failed: 'f',
  suppressed: 'x',
  unknown: 'u',
} as const;

/** What the ledger says of a recipient; bounces and complaints lie over it as engagement. */
export type LedgerStatus = keyof typeof letters;

/** Every status of a recipient as the API shows it, one at a time: the ledger's, and what lies over it (docs/decisions). */
export const recipientStatuses = [
  'pending',
  'sending',
  'sent',
  'bounced',
  'complained',
  'failed',
  'suppressed',
  'cancelled',
  'unknown',
] as const satisfies readonly (LedgerStatus | 'bounced' | 'complained' | 'cancelled')[];

/** The status of a recipient as the API shows it. */
export type RecipientStatus = (typeof recipientStatuses)[number];

const statusOf = Object.fromEntries(Object.entries(letters).map(([status, letter]) => [letter, status])) as Record<
  string,
  LedgerStatus
>;

/** The statuses of a page from their letters. */
export function decode(text: string): LedgerStatus[] {
  return [...text].map((letter) => statusOf[letter]!);
}

/** The letters of a page's statuses. */
export function encode(statuses: readonly LedgerStatus[]): string {
  return statuses.map((status) => letters[status]).join('');
}

/** How often each final status of a page occurs. */
export interface Tally {
  sent: number;
  failed: number;
  suppressed: number;
  unknown: number;
}

/** Counts the recipients that are accounted for. */
export function tally(statuses: readonly LedgerStatus[]): Tally {
  const counts = { sent: 0, failed: 0, suppressed: 0, unknown: 0 };
  for (const status of statuses) if (status !== 'pending' && status !== 'sending') counts[status]++;
  return counts;
}

/** What a change of a page's statuses adds to the campaign's counters. */
export function difference(before: readonly LedgerStatus[], after: readonly LedgerStatus[]): Tally {
  const [old, current] = [tally(before), tally(after)];
  return {
    sent: current.sent - old.sent,
    failed: current.failed - old.failed,
    suppressed: current.suppressed - old.suppressed,
    unknown: current.unknown - old.unknown,
  };
}
