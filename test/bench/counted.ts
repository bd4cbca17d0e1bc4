import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageReport } from '../../local/usage.ts';
import type { BenchStack } from './bench-stack.ts';
import { listOf, send, setSendRate, skipToTheEnd } from './campaign-runs.ts';
import { accepted } from './requests.ts';
import { consumedBy, functionOf, type Result, round, usedBy } from './results.ts';
import { storedBytes } from './storage.ts';

/** What SES sends at most in a large account; here the machine is the limit. */
export const fastest = 14_000;
const pageSize = 50;
/** The pace of 350,000 opens and clicks in ten hours. */
const engagementPerSecond = 10;
const mailReader = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko)';

/** The usage of one campaign and its feedback at a send rate, and what it leaves in the table. */
export interface CountedCampaign {
  id: number;
  recipients: number;
  /** Emails per second that the account may send. */
  rate: number;
  /** From the send request until the last delivery is applied. */
  used: UsageReport;
  /** Bytes kept for 180 days. */
  stored: number;
}

/** The usage of some opens or clicks. */
export interface Engagement {
  count: number;
  used: UsageReport;
  stored: number;
}

/** Sends one campaign, metered, at a send rate; below the fastest one on a frozen clock. */
export async function countCampaign(stack: BenchStack, recipients: number, rate: number): Promise<CountedCampaign> {
  const listId = await listOf(stack, recipients);
  await setSendRate(stack, rate);
  const before = await storedBytes(stack);
  let id = 0;
  const used = await stack.metered(async () => {
    id = await send(stack, listId);
    if (rate < fastest) await skipToTheEnd(stack, id);
  });
  if (rate < fastest) await setSendRate(stack, fastest);
  return { id, recipients, rate, used, stored: (await storedBytes(stack)) - before };
}

/** Opens three of ten messages of a campaign and follows a link in a sixth of those. */
export async function countEngagement(stack: BenchStack, { id, recipients }: CountedCampaign) {
  const { data: messages } = (await stack.call('GET', `/_local/messages?campaign_id=${id}`)).body as {
    data: { html: string }[];
  };
  // An open within two seconds of the delivery counts as a machine's.
  await sleep(2_500);
  const opened = messages.slice(0, Math.min(300, Math.ceil(recipients * 0.3)));
  const clicked = opened.slice(0, Math.ceil(opened.length / 6));
  const visited = async (some: typeof messages, kind: 'open' | 'click'): Promise<Engagement> => {
    const before = await storedBytes(stack);
    const used = await stack.metered(() => visit(some.map(({ html }) => trackingUrl(html, kind))));
    return { count: some.length, used, stored: (await storedBytes(stack)) - before };
  };
  return { opens: await visited(opened, 'open'), clicks: await visited(clicked, 'click') };
}

/** How often a page is received again after the first time. */
export function putBacks({ used, recipients, rate }: CountedCampaign): Result {
  const pages = Math.ceil(recipients / pageSize);
  const sender = functionOf(used, 'send-page');
  return {
    what: `put-backs per page at ${rate.toLocaleString('en-US')}/s`,
    figure: (sender?.messages ?? 0) / pages - 1,
    unit: 'messages',
    atMost: 1.1,
    details: `${pages} pages, ${sender?.invocations} invocations, ${used.transitions} state transitions`,
  };
}

/** The table's work per recipient, from the snapshot to the commit of its page. */
export function tableWork(
  { recipients, used }: CountedCampaign,
  what = 'table work per recipient',
  atMost = 0.3,
): Result {
  const sending = usedBy(used, 'advance-campaign', 'send-page');
  return {
    what: `${what}, snapshot to sent`,
    figure: sending.capacity.write / recipients,
    unit: 'write units',
    atMost,
    details: consumedBy(sending, recipients / pageSize, 'page of 50'),
  };
}

/** What a campaign's events cost the table. */
export function feedbackWork(
  { recipients, used }: CountedCampaign,
  { opens, clicks }: Record<'opens' | 'clicks', Engagement>,
) {
  const line = (what: string, report: UsageReport, count: number, atMost?: number): Result => {
    const applied = usedBy(report, 'apply-feedback');
    const { invocations = 1 } = functionOf(report, 'apply-feedback') ?? {};
    return {
      what,
      figure: applied.capacity.write / count,
      unit: 'write units',
      atMost,
      details: `${round(count / invocations)} a batch; ${consumedBy(applied, count, 'event')}`,
    };
  };
  const calls = Object.entries(usedBy(used, 'apply-feedback').calls);
  const tableCalls = calls.reduce((sum, [name, count]) => sum + (name.startsWith('dynamodb:') ? count : 0), 0);
  return [
    line('a delivery event, packed', used, recipients, 0.4),
    { what: 'a delivery event, packed', figure: tableCalls / recipients, unit: 'calls of the table', atMost: 0.1 },
    line('feedback of an open', opens.used, opens.count),
    line('feedback of a click', clicks.used, clicks.count),
  ];
}

/** What a recipient of a campaign with an A/B test costs the table: a fifth of the audience is in the test. */
export async function measureAbTest(stack: BenchStack, recipients: number): Promise<Result[]> {
  const listId = await listOf(stack, recipients);
  const ab_test = { ab_test_enabled: true, ab_test_percentage: 20, ab_test_delay_minutes: 1 };
  const variants = ['A', 'B'].map((label) => ({ label, subject: `Hello from ${label}` }));
  let id = 0;
  const used = await stack.metered(async () => {
    id = await send(stack, listId, { ...ab_test, variants });
    await skipToTheEnd(stack, id);
  });
  const { sent_count } = await accepted(stack.call('GET', `/campaigns/${id}`));
  if (sent_count !== recipients) throw new Error(`${sent_count} of ${recipients} were sent the A/B test`);
  return [tableWork({ id, recipients, rate: fastest, used, stored: 0 }, 'a recipient of an A/B test (20%)', 0.4)];
}

function trackingUrl(message: string, kind: 'open' | 'click'): string {
  const found = new RegExp(`https?://[^"\\s]*/_local/ses/${kind}/[^"\\s]*`).exec(message);
  if (!found) throw new Error(`A message has no ${kind} tracking.`);
  return found[0].replaceAll('&amp;', '&');
}

/** Fetches tracking URLs at a realistic pace. */
async function visit(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    await fetch(url, { redirect: 'manual', headers: { 'user-agent': mailReader } });
    await sleep(1000 / engagementPerSecond);
  }
}
