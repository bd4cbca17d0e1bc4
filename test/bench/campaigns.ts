import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageReport } from '../../local/usage.ts';
import { type BenchStack, senderDomain } from './bench-stack.ts';
import { processUsed } from './process.ts';
import { accepted, importTo, newContacts } from './requests.ts';
import { consumedBy, type Result, round, usedBy } from './results.ts';

const pollMilliseconds = 100;
const memoryParts = 4;
/** The pace of 350,000 opens and clicks in ten hours. */
const engagementPerSecond = 10;
const mailReader = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko)';

const html = `<html><body><p>Hello {{first_name | default: "there"}} of {{company | default: "somewhere"}}</p>
<p>${'A paragraph of an ordinary newsletter, long enough to weigh something. '.repeat(20)}</p>
<p><a href="https://example.com/one">One</a> <a href="https://example.com/two">Two</a></p>
<p><a href="{{unsubscribe_url}}">Unsubscribe</a></p></body></html>`;

/** The usage of one campaign, its feedback, and some opens and clicks. */
export interface CountedCampaign {
  recipients: number;
  /** From the send request until the last delivery is applied. */
  sending: UsageReport;
  opens: { count: number; used: UsageReport };
  clicks: { count: number; used: UsageReport };
}

/** How fast campaigns run on the local stack, unmetered. */
export async function measureSpeed(stack: BenchStack, recipients: number): Promise<Result[]> {
  const listId = await listOf(stack, recipients);
  // The first campaign warms up the bundles; it is large enough that screening does not hold the next one.
  await send(stack, await listOf(stack, Math.max(500, recipients / 10)));
  await stack.idle();
  const id = await send(stack, listId);
  const queuing = await reached(stack, id, ({ status }) => status !== 'screening' && status !== 'draft');
  const sending = await reached(stack, id, ({ status }) => status !== 'queuing');
  const dispatched = Date.parse(sending.campaign.sent_at);
  const committed = await reached(stack, id, ({ sent_count }) => sent_count === recipients);
  const atCommit = await delivered(stack, id);
  const drainBegun = Date.now();
  let drained = atCommit;
  while (drained < recipients) {
    await sleep(pollMilliseconds);
    drained = await delivered(stack, id);
  }
  const eventsPerSecond = ((drained - atCommit) / (Date.now() - drainBegun)) * 1000;
  const emailsPerSecond = (recipients / (committed.at - dispatched)) * 1000;
  const snapshotPerSecond = (recipients / Math.max(1, dispatched - queuing.at)) * 1000;
  const line = (what: string, least: number, figure: number, unit: string, consumed?: string): Result => ({
    what,
    budget: least > 0 ? `>= ${least.toLocaleString('en-US')} ${unit}/s` : '(none)',
    figure: `${round(figure)} ${unit}/s`,
    within: figure >= least,
    consumed,
  });
  await stack.idle();
  return [
    line('snapshot of an audience', 0, snapshotPerSecond, 'recipients', `${round(recipients)} recipients`),
    line('local campaign, dispatch to committed', 4_000, emailsPerSecond, 'emails', `${round(recipients)} recipients`),
    line(
      'feedback drained',
      2_000,
      eventsPerSecond,
      'events',
      `${round(drained - atCommit)} events left at the commit`,
    ),
  ];
}

/** A large campaign to ten elevenths of a list, by filters, with the memory of the stack's process in each phase. */
export async function measureLarge(stack: BenchStack, recipients: number): Promise<Result[]> {
  const listId = await listOf(stack, recipients);
  for (let left = recipients / 10; left > 0; left -= 1_000) {
    const contacts = newContacts(Math.min(left, 1_000)).map(({ email }) => ({ email }));
    await accepted(stack.call('POST', '/contacts/bulk', { contacts, list_ids: [listId] }));
  }
  const memory = () => processUsed(stack.pid())?.megabytes ?? 0;
  const begun = { at: Date.now(), megabytes: memory() };
  const id = await send(stack, listId, { company: 'company', location: 'city', date_from: '2020-01-01' });
  const sending = await reached(stack, id, ({ status }) => status === 'sending' || status === 'failed');
  const snapshot = { at: Date.parse(sending.campaign.sent_at), megabytes: memory() };
  const parts: number[] = [];
  const total = sending.campaign.total_recipients;
  for (let part = 1; part <= memoryParts; part++) {
    await reached(stack, id, ({ sent_count }) => sent_count >= (total * part) / memoryParts);
    parts.push(memory());
  }
  const committed = Date.now();
  const ended = await reached(stack, id, ({ status }) => status !== 'sending');
  const seconds = (from: number, to: number) => `${round((to - from) / 1000)} s`;
  return [
    {
      what: `campaign of ${round(total)} by filters, from send to ${ended.campaign.status}`,
      budget: '(none)',
      figure: seconds(begun.at, ended.at),
      within: ended.campaign.status === 'sent',
      consumed:
        `snapshot in ${seconds(begun.at, snapshot.at)}, sent in ${seconds(snapshot.at, committed)}; ` +
        `memory of the stack: ${round(begun.megabytes)} MB before, ${round(snapshot.megabytes)} MB after it, ` +
        `then by quarters ${parts.map(round).join(', ')} MB`,
    },
  ];
}

/** Runs one campaign with metering on, then opens and clicks some of its messages. */
export async function countCampaign(stack: BenchStack, recipients: number): Promise<CountedCampaign> {
  const listId = await listOf(stack, recipients);
  let id = 0;
  const sending = await stack.metered(async () => {
    id = await send(stack, listId);
    await stack.idle();
  });
  const { data: messages } = (await stack.call('GET', `/_local/messages?campaign_id=${id}`)).body as {
    data: { html: string }[];
  };
  // An open within two seconds of the delivery counts as a machine's.
  await sleep(2_500);
  const opened = messages.slice(0, Math.min(300, Math.ceil(recipients * 0.3)));
  const opens = await stack.metered(() => visit(opened.map(({ html }) => trackingUrl(html, 'open'))));
  const clicked = opened.slice(0, Math.ceil(opened.length / 6));
  const clicks = await stack.metered(() => visit(clicked.map(({ html }) => trackingUrl(html, 'click'))));
  return {
    recipients,
    sending,
    opens: { count: opened.length, used: opens },
    clicks: { count: clicked.length, used: clicks },
  };
}

/** The table's work per recipient, from the snapshot to the commit of its page. */
export function tableWork({ recipients, sending }: CountedCampaign): Result {
  const used = usedBy(sending, 'advance-campaign', 'send-page');
  const units = used.capacity.write / recipients;
  return {
    what: 'table work per recipient, snapshot to sent',
    budget: '<= 0.3 WU',
    figure: `${round(units)} WU, ${round(used.capacity.read / recipients)} RU`,
    within: units <= 0.3,
    consumed: consumedBy(used, recipients / 50, 'page of 50'),
  };
}

/** What a campaign's events cost the table; there is no budget for it. */
export function feedbackWork({ recipients, sending, opens, clicks }: CountedCampaign): Result[] {
  const line = (what: string, used: UsageReport, count: number): Result => {
    const applied = usedBy(used, 'apply-feedback');
    const invocations = used.functions['mailwright-dev-apply-feedback']?.invocations ?? 1;
    return {
      what,
      budget: '(in the cost below)',
      figure: `${round(applied.capacity.write / count)} WU, ${round(applied.capacity.read / count)} RU`,
      within: true,
      consumed: `${round(count / invocations)} a batch; ${consumedBy(applied, count, 'event')}`,
    };
  };
  return [
    line('feedback of a delivery', sending, recipients),
    line('feedback of an open', opens.used, opens.count),
    line('feedback of a click', clicks.used, clicks.count),
  ];
}

async function listOf(stack: BenchStack, recipients: number): Promise<number> {
  const list = await accepted(stack.call('POST', '/lists', { name: `${recipients} recipients` }));
  await importTo(stack, list.id, recipients);
  return list.id;
}

async function send(stack: BenchStack, listId: number, audience_filters?: object): Promise<number> {
  const campaign = await accepted(
    stack.call('POST', '/campaigns', {
      name: 'Bench',
      subject: 'Hello {{first_name | default: "there"}}',
      from_name: 'Bench',
      from_email: `hello@${senderDomain}`,
      contact_list_id: listId,
      audience_filters,
    }),
  );
  await accepted(stack.call('PUT', `/campaigns/${campaign.id}/content`, { html_content: html }));
  await accepted(
    stack.call('POST', `/campaigns/${campaign.id}/send`, undefined, { 'idempotency-key': `bench-${campaign.id}` }),
  );
  return campaign.id;
}

interface Campaign {
  status: string;
  sent_at: string;
  sent_count: number;
  total_recipients: number;
}

/** Polls a campaign until a condition holds; returns it with the time. */
async function reached(stack: BenchStack, id: number, wanted: (campaign: Campaign) => boolean) {
  for (;;) {
    const campaign = (await accepted(stack.call('GET', `/campaigns/${id}`))) as Campaign;
    if (wanted(campaign)) return { campaign, at: Date.now() };
    await sleep(pollMilliseconds);
  }
}

async function delivered(stack: BenchStack, id: number): Promise<number> {
  const { metrics } = await accepted(stack.call('GET', `/campaigns/${id}/report`));
  return metrics.delivered + metrics.bounced;
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
