import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignReport, Mailwright } from '../../client/src/index.ts';
import { bar, number, Progress } from './screen.ts';

const pollMilliseconds = 500;
/** Equal reports in a row that are final once every message has feedback. */
const finalReports = 4;
/** Equal reports in a row that are final without it. */
const maxEqualReports = 30;

/** Reads the report until the feedback of all messages has arrived and it stops changing. */
export async function settledReport(api: Mailwright, campaignId: number): Promise<CampaignReport> {
  const progress = new Progress('feedback');
  let before = '';
  for (let equal = 0; ; ) {
    const report = await api.campaigns.getReport(campaignId);
    const { sent, delivered, bounced } = report.metrics;
    const now = JSON.stringify(report);
    equal = now === before ? equal + 1 : 0;
    before = now;
    const known = delivered + bounced;
    progress.update(known, sent, `${number(known)} of ${number(sent)} messages`);
    if (equal >= (known >= sent ? finalReports : maxEqualReports)) {
      progress.end(`${number(delivered)} delivered, ${number(bounced)} bounced`);
      return report;
    }
    await sleep(pollMilliseconds);
  }
}

/** The report as a table with a bar for each count. */
export function reportTable({ campaign_id, name, status, metrics }: CampaignReport): string {
  const sentRate = metrics.recipients > 0 ? (100 * metrics.sent) / metrics.recipients : 0;
  const rows: [string, number, string][] = [
    ['Recipients', metrics.recipients, ''],
    ['Sent', metrics.sent, rate(sentRate, 'of recipients')],
    ['Delivered', metrics.delivered, rate(metrics.delivery_rate, 'of sent')],
    ['Bounced', metrics.bounced, rate(metrics.bounce_rate, 'of sent')],
    ['Opened', metrics.opened, rate(metrics.open_rate, 'of delivered')],
    ['Clicked', metrics.clicked, rate(metrics.click_rate, 'of delivered')],
    ['Unsubscribed', metrics.unsubscribed, rate(metrics.unsubscribe_rate, 'of delivered')],
    ['Complained', metrics.complained, rate(metrics.complaint_rate, 'of delivered')],
  ];
  const width = Math.max(...rows.map(([, count]) => number(count).length));
  const lines = rows.map(([label, count, share]) =>
    [` ${label.padEnd(12)}`, number(count).padStart(width), bar(count, metrics.recipients).padEnd(30), share]
      .join('  ')
      .trimEnd(),
  );
  return [`Campaign ${campaign_id}, "${name}": ${status}`, '', ...lines].join('\n');
}

const rate = (percent: number, of: string): string => `${percent.toFixed(2).padStart(6)} % ${of}`;
