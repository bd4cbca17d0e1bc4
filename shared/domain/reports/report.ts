/** The counts from which a report's rates are computed. */
export type ReportCounts = Record<
  'recipients' | 'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'unsubscribed' | 'complained',
  number
>;

/** A percentage with two decimals; 0 of 0 is 0. */
export const percentage = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

/** The counts with their rates (docs/api.md#reports). */
export function metrics(counts: ReportCounts) {
  const { sent, delivered, opened, clicked, bounced, unsubscribed, complained } = counts;
  return {
    ...counts,
    delivery_rate: percentage(delivered, sent),
    open_rate: percentage(opened, delivered),
    click_rate: percentage(clicked, delivered),
    ctor: percentage(clicked, opened),
    bounce_rate: percentage(bounced, sent),
    unsubscribe_rate: percentage(unsubscribed, delivered),
    complaint_rate: percentage(complained, delivered),
  };
}
