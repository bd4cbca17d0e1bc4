import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchStack } from './bench-stack.ts';
import { listOf, reached, send, stackTime } from './campaign-runs.ts';
import { processUsed } from './process.ts';
import { accepted, newContacts } from './requests.ts';
import { type Result, round } from './results.ts';

const pollMilliseconds = 100;
const memoryParts = 4;

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
  const details = `${round(recipients)} recipients`;
  await stack.idle();
  return [
    { what: 'snapshot of an audience', figure: snapshotPerSecond, unit: 'recipients/s', details },
    {
      what: 'campaign locally, dispatch to committed',
      figure: emailsPerSecond,
      unit: 'emails/s',
      atLeast: 4_000,
      details,
    },
    {
      what: 'feedback drained locally, deliveries of a campaign',
      figure: eventsPerSecond,
      unit: 'events/s',
      atLeast: 2_000,
      details: `${round(drained - atCommit)} events left at the commit`,
    },
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
  const begun = { at: await stackTime(stack), megabytes: memory() };
  const asked = performance.now();
  const audience_filters = { company: 'company', location: 'city', date_from: '2020-01-01' };
  const id = await send(stack, listId, { audience_filters });
  const answered = (performance.now() - asked) / 1000;
  const sending = await reached(stack, id, ({ status }) => status === 'sending' || status === 'failed');
  const snapshot = { at: Date.parse(sending.campaign.sent_at), megabytes: memory() };
  const parts: number[] = [];
  const total = sending.campaign.total_recipients;
  for (let part = 1; part <= memoryParts; part++) {
    await reached(stack, id, ({ sent_count }) => sent_count >= (total * part) / memoryParts);
    parts.push(memory());
  }
  const committed = await stackTime(stack);
  const ended = await reached(stack, id, ({ status }) => status !== 'sending');
  const seconds = (from: number, to: number) => `${round((to - from) / 1000)} s`;
  return [
    {
      what: `send of a campaign to a filtered audience of ${round(total)}, with create and content`,
      figure: answered,
      unit: 's until it answers',
      atMost: 2,
    },
    {
      what: `campaign of ${round(total)} by filters, from send to ${ended.campaign.status}`,
      figure: (ended.at - begun.at) / 1000,
      unit: 's',
      details:
        `snapshot in ${seconds(begun.at, snapshot.at)}, sent in ${seconds(snapshot.at, committed)}; ` +
        `memory of the stack: ${round(begun.megabytes)} MB before, ${round(snapshot.megabytes)} MB after it, ` +
        `then by quarters ${parts.map(round).join(', ')} MB`,
    },
  ];
}

async function delivered(stack: BenchStack, id: number): Promise<number> {
  const { metrics } = await accepted(stack.call('GET', `/campaigns/${id}/report`));
  return metrics.delivered + metrics.bounced;
}
