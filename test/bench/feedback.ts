import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { toItem } from '../../shared/data/contacts/contact-item.ts';
import { keys } from '../../shared/data/keys.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { feedbackDeadLetters, putFeedback, queueUrl, type Report, sesNotification } from '../support/feedback.ts';
import { awsOf } from '../support/stack.ts';
import type { Row } from '../support/table.ts';
import type { BenchStack } from './bench-stack.ts';
import { processUsed } from './process.ts';
import { accepted } from './requests.ts';
import { consumedBy, functionOf, type Result, round, usedBy } from './results.ts';
import { contactRows, sentPages, writeRows } from './table-rows.ts';

const leastPerSecond = { mixed: 1_000, deliveries: 2_000 };
const duplicates = 0.1;
const hour = 3_600_000;
const links = 7;
const reader = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const prefetch = 'Mozilla/5.0';

/** The expected counts when every message is counted once. */
interface Expected {
  delivered: number;
  opened: number;
  clicked: number;
  bounced: number;
  complained: number;
  /** Clicks of humans and of machines. */
  clicks: number;
  bots: number;
}

/** The speed of draining the feedback queue and the cost of a message; a tenth are duplicates, in random order. */
export async function measureFeedback(stack: BenchStack, messages: number, counted: number): Promise<Result[]> {
  // The first run warms up the bundle.
  await drain(stack, Math.min(1_000, counted));
  const timed = await drain(stack, messages);
  const deliveries = await drain(stack, messages, deliveredTo);
  let wrong: string[] = [];
  const used = await stack.metered(async () => {
    wrong = (await drain(stack, counted)).wrong;
  });
  const applied = usedBy(used, 'apply-feedback');
  const { invocations = 1 } = functionOf(used, 'apply-feedback') ?? {};
  const exact = [...timed.wrong, ...deliveries.wrong, ...wrong];
  return [
    drained('feedback queue', messages, timed, leastPerSecond.mixed),
    drained('the same, deliveries alone', messages, deliveries, leastPerSecond.deliveries),
    {
      what: 'the same, counters that are wrong and dead letters',
      figure: exact.length,
      unit: 'counters',
      atMost: 0,
      details: exact.join('; '),
    },
    {
      what: `the same, work, of ${round(counted)} messages`,
      figure: applied.capacity.write / counted,
      unit: 'write units',
      details:
        `${round(invocations)} invocations, ${round(counted / invocations)} messages each; ` +
        consumedBy(applied, counted, 'message'),
    },
  ];
}

function drained(what: string, messages: number, { seconds, processor }: Drained, atLeast: number): Result {
  return {
    what: `${what}, ${round(messages)} messages, 10% twice, reordered`,
    figure: messages / seconds,
    unit: 'messages/s',
    atLeast,
    details:
      `${round(seconds)} s, ${round(processor)} s processor time of the stack with all functions: ` +
      `${round((1_000 * processor) / messages)} ms a message`,
  };
}

/** Elapsed time, processor time of the stack, and the differences from the expected counts. */
export interface Drained {
  seconds: number;
  processor: number;
  wrong: string[];
}

/** What feedback of many teams in one batch costs in time, over the same of one team. */
export async function measureTeamsSideBySide(stack: BenchStack, teams: number): Promise<Result[]> {
  const campaigns: { team: number; campaign: number }[] = [];
  for (let made = 0; made < teams; made++) campaigns.push(await campaignOfNewTeam(stack));
  const apart = async (of: typeof campaigns) => {
    const used = await stack.metered(() => deliveriesOf(stack, of));
    return functionOf(used, 'apply-feedback')!.milliseconds;
  };
  const one = campaigns.map(() => campaigns[0]!);
  // The first batch of a team reads its endpoints and notes the day.
  await apart(campaigns);
  const [ofOne, ofAll] = [await apart(one), await apart(campaigns)];
  return [
    {
      what: `deliveries of ${teams} teams side by side, over as many of one team`,
      figure: ofAll / ofOne,
      unit: 'times as long',
      atMost: 1,
      details: `${round(ofAll)} ms of apply-feedback, over ${round(ofOne)} ms`,
    },
  ];
}

async function campaignOfNewTeam(stack: BenchStack) {
  const { body: team } = await stack.call('POST', '/_local/teams', { name: 'Side by side', plan: 'enterprise' });
  const authorization = `Bearer ${team.api_key}`;
  const { id } = await accepted(stack.call('POST', '/campaigns', { name: 'Bench' }, { authorization }));
  return { team: team.team_id as number, campaign: id as number };
}

let delivered = 0;

/** A new delivery of each campaign, in one batch; a batch fills for a second. */
async function deliveriesOf(stack: BenchStack, campaigns: readonly { team: number; campaign: number }[]) {
  const at = Date.now() - hour;
  const bodies = campaigns.map((tags) => {
    const [email, place] = [`delivered.${delivered}@feedback.example`, delivered++];
    return sesNotification({
      kind: 'delivered',
      email,
      at: at + place,
      tags: { ...tags, page: Math.floor(place / 50), index: place % 50 },
    });
  });
  await putFeedback(new SQSClient(awsOf(stack.dataFolder())), bodies);
}

/** Queues the feedback of a campaign of a new team and waits until it is applied. */
export async function drain(stack: BenchStack, messages: number, reports = reportsOf): Promise<Drained> {
  const { body: team } = await stack.call('POST', '/_local/teams', { name: 'Feedback', plan: 'enterprise' });
  const read = (method: string, path: string, body?: unknown) =>
    accepted(stack.call(method, path, body, { authorization: `Bearer ${team.api_key}` }));
  const { id } = await read('POST', '/campaigns', { name: 'Bench' });
  const { bodies, emails, expected } = feedbackOn({ team: team.team_id, campaign: id }, messages, reports);
  await sendPastTheApi(stack, team.team_id, id, emails);
  const sqs = new SQSClient(awsOf(stack.dataFolder()));
  const [begun, before] = [performance.now(), processUsed(stack.pid())];
  await putFeedback(sqs, bodies);
  while ((await stack.call('GET', '/_local/idle?timeout_ms=10000')).status !== 200);
  const seconds = (performance.now() - begun) / 1000;
  const processor = (processUsed(stack.pid())?.seconds ?? 0) - (before?.seconds ?? 0);
  const { metrics } = await read('GET', `/campaigns/${id}/report`);
  const rows: { clicks: number; bots: number }[] = await read('GET', `/campaigns/${id}/report/links`);
  const found: Record<string, number> = {
    ...metrics,
    clicks: rows.reduce((sum, { clicks }) => sum + clicks, 0),
    bots: rows.reduce((sum, { bots }) => sum + bots, 0),
  };
  const wrong = Object.entries(expected).flatMap(([name, count]) =>
    found[name] === count ? [] : [`${name} ${found[name]} for ${count}`],
  );
  const dead = await deadLetters(sqs);
  return { seconds, processor, wrong: dead === 0 ? wrong : [...wrong, `${dead} dead letters`] };
}

async function deadLetters(sqs: SQSClient): Promise<number> {
  const QueueUrl = await queueUrl(sqs, feedbackDeadLetters);
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes!.ApproximateNumberOfMessages);
}

/** Makes a campaign look as if it was sent to everyone an hour ago. */
async function sendPastTheApi(stack: BenchStack, teamId: number, id: number, emails: readonly string[]): Promise<void> {
  const at = timestamp(Date.now() - hour);
  const key = keys.campaign(teamId, id);
  const row = (await (await stack.table()).partition(key.pk)).find(({ sk }) => sk === key.sk);
  const sent = { status: 'sent', frozen_at: at, sent_at: at, total_recipients: emails.length };
  const contacts = contactRows(emails.length, 1, (index) => ({ at, email: emails[index]! }));
  await writeRows(stack, [
    ...contacts.map((contact): Row => ({ ...toItem(teamId, contact) })),
    ...sentPages(teamId, id, emails),
    { ...keys.sendStats(teamId, id, 0), sent: emails.length, failed: 0, suppressed: 0, unknown_count: 0 },
    { ...(row as Row), ...sent },
  ]);
}

/** `count` messages, a tenth of them duplicates, in random order. */
function feedbackOn(tags: { team: number; campaign: number }, messages: number, reports: typeof reportsOf) {
  const random = randomly(messages);
  const start = Date.now() - hour;
  const expected = { delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0, clicks: 0, bots: 0 };
  const [bodies, emails]: [string[], string[]] = [[], []];
  for (let person = 0; bodies.length < messages * (1 - duplicates) - 5; person++) {
    const email = `${Math.floor(random() * 2 ** 32).toString(36)}.${person}@feedback.example`;
    emails.push(email);
    for (const report of reports(person, start + random() * 1_000, expected))
      bodies.push(
        sesNotification({ ...report, email, tags: { ...tags, page: Math.floor(person / 50), index: person % 50 } }),
      );
  }
  const once = bodies.length;
  while (bodies.length < messages) bodies.push(bodies[Math.floor(random() * once)]!);
  for (let at = bodies.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [bodies[at], bodies[other]] = [bodies[other]!, bodies[at]!];
  }
  return { bodies, emails, expected };
}

/** The delivery of a message to one recipient. */
const deliveredTo: typeof reportsOf = (_person, at, expected) => {
  expected.delivered++;
  return [{ kind: 'delivered', at }];
};

/**
 * The feedback of one recipient. Of a hundred, two bounce, thirty open, twenty more are opened by machines, five click,
 * and for one a machine follows three links.
 */
function reportsOf(person: number, at: number, expected: Expected): Omit<Report, 'email' | 'tags'>[] {
  const link = (number: number) => `https://example.com/${number % links}`;
  const [place, minute] = [person % 100, 60_000];
  if (place < 2) {
    expected.bounced++;
    return [{ kind: 'hard_bounce', at }];
  }
  const reports: Omit<Report, 'email' | 'tags'>[] = [{ kind: 'delivered', at }];
  expected.delivered++;
  if (place < 52) reports.push({ kind: 'opened', at: at + minute, agent: place < 32 ? reader : prefetch });
  if (place < 32) expected.opened++;
  if (place < 7) {
    reports.push({ kind: 'clicked', at: at + 2 * minute, url: link(person), agent: reader });
    expected.clicked++;
    expected.clicks++;
  }
  if (place === 60) {
    for (let number = 0; number < 3; number++)
      reports.push({ kind: 'clicked', at: at + minute + number * 500, url: link(number), agent: reader });
    expected.bots += 3;
  }
  if (person % 1_000 === 70) {
    reports.push({ kind: 'complaint', at: at + 3 * minute });
    expected.complained++;
  }
  return reports;
}

/** Random numbers from 0 to 1, reproducible by seed (mulberry32). */
function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
