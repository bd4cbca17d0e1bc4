import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { bar, number, Progress } from './screen.ts';

const pollMilliseconds = 500;
/** With feedback for every message, this many equal reports in a row are final. */
const equalReports = 4;
/** Without it, this many are taken for the end. */
const patienceReports = 30;

interface Metrics {
  recipients: number;
  sent: number;
  delivered: number;
  opened: number;
  clicked: number;
  bounced: number;
  unsubscribed: number;
  complained: number;
  delivery_rate: number;
  open_rate: number;
  click_rate: number;
  bounce_rate: number;
  unsubscribe_rate: number;
  complaint_rate: number;
}

/** A campaign's report, as the API gives it. */
export interface Report {
  campaign_id: number;
  name: string;
  status: string;
  metrics: Metrics;
}

/** Reads the report until what SES said of the messages has come in and it does not change any more. */
export async function settledReport(api: Api, campaignId: number): Promise<Report> {
  const progress = new Progress('feedback');
  let before = '';
  for (let equal = 0; ; ) {
    const { data } = (await api.call('GET', `/campaigns/${campaignId}/report`)) as { data: Report };
    const { sent, delivered, bounced } = data.metrics;
    const now = JSON.stringify(data);
    equal = now === before ? equal + 1 : 0;
    before = now;
    const known = delivered + bounced;
    progress.update(known, sent, `${number(known)} of ${number(sent)} messages`);
    if (equal >= (known >= sent ? equalReports : patienceReports)) {
      progress.end(`${number(delivered)} delivered, ${number(bounced)} bounced`);
      return data;
    }
    await sleep(pollMilliseconds);
  }
}

/** The report as a table with a bar for each count. */
export function reportTable({ campaign_id, name, status, metrics }: Report): string {
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
    `  ${label.padEnd(12)}  ${number(count).padStart(width)}  ${bar(count, metrics.recipients).padEnd(30)}  ${share}`.trimEnd(),
  );
  return [`Campaign ${campaign_id}, "${name}": ${status}`, '', ...lines].join('\n');
}

const rate = (percent: number, of: string): string => `${percent.toFixed(2).padStart(6)} % ${of}`;
