/** One letter per recipient, as a page result stores its statuses. */
export const letters = {
  pending: 'p',
  sending: '-',
  sent: 's',
  failed: 'f',
  suppressed: 'x',
  unknown: 'u',
} as const;

/** The send status of a recipient; a bounce or complaint is stored as engagement. */
export type LedgerStatus = keyof typeof letters;

/** Every status of a recipient in the API: the ledger's, or the bounce, complaint or cancellation that replaces it. */
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

/** The status of a recipient in the API. */
export type RecipientStatus = (typeof recipientStatuses)[number];

const statusOf = Object.fromEntries(Object.entries(letters).map(([status, letter]) => [letter, status])) as Record<
  string,
  LedgerStatus
>;

/** Decodes the statuses of a page. */
export const decode = (text: string): LedgerStatus[] => [...text].map((letter) => statusOf[letter]!);

/** Encodes the statuses of a page. */
export const encode = (statuses: readonly LedgerStatus[]): string => statuses.map((status) => letters[status]).join('');

/** The indexes of recipients whose message has become sent. */
export const newlySent = (before: readonly LedgerStatus[], after: readonly LedgerStatus[]): number[] =>
  after.flatMap((status, index) => (status === 'sent' && before[index] !== 'sent' ? [index] : []));

const finalStatuses = ['sent', 'failed', 'suppressed', 'unknown'] as const;

/** The number of recipients by final status. */
export type Tally = Record<(typeof finalStatuses)[number], number>;

const tallyBy = (count: (status: keyof Tally) => number): Tally =>
  Object.fromEntries(finalStatuses.map((status) => [status, count(status)])) as Tally;

/** Counts the recipients that have a final status. */
export const tally = (statuses: readonly LedgerStatus[]): Tally =>
  tallyBy((wanted) => statuses.filter((status) => status === wanted).length);

/** The change of the counters when a page's statuses change. */
export function difference(before: readonly LedgerStatus[], after: readonly LedgerStatus[]): Tally {
  const [old, current] = [tally(before), tally(after)];
  return tallyBy((status) => current[status] - old[status]);
}
