import { expect, it } from 'vitest';
import { dueJob } from '../../shared/data/due-jobs.ts';
import { everyRow, finished, idle, readyCampaign } from '../support/campaign.ts';
import { enrol, newContacts, newSequence, newStep, stepsSent } from '../support/sequence.ts';
import type { Row } from '../support/table.ts';
import {
  advance,
  counters,
  deletedList,
  faultless,
  inject,
  jobsOf,
  planned,
  recount,
  restart,
  stack,
  stamp,
  table,
  team,
} from './jobs.setup.ts';

const engaged = (teamId: number, index: number, opened: boolean): Row => ({
  pk: `TEAM#${teamId}#CAMPAIGN#1#ENGAGEMENT`,
  sk: `r${String(index).padStart(6, '0')}@example.com`,
  contact_id: null,
  ...(opened && { opened_at: '2026-11-20T09:00:00.000+00:00' }),
});

it('goes on from its cursor when the worker of a long job is killed', async () => {
  const owner = await team();
  const total = 16_000;
  const recipients = Array.from({ length: total }, (_, index) => engaged(owner.id, index, true));
  await table.write(recipients);
  await table.write([dueJob({ kind: 'recount', team_id: owner.id, campaign_id: 1, batch: 'b' }, new Date(0))]);
  // 16 reads or more, of three seconds each: a job gives its place back after 20 seconds, on any machine.
  await inject({ service: 'dynamodb', operation: 'Query', error: 'slow', seconds: 3, containing: `TEAM#${owner.id}#` });
  const stored = async () =>
    (await jobsOf(owner, 'recount'))[0] as Row & { cursor?: { after: string; counts: object } };
  const advanced = advance(61);
  await expect.poll(async () => (await stored()).cursor?.after, { timeout: 240_000 }).toBeDefined();
  const { cursor } = await stored();
  const passed = recipients.findIndex(({ sk }) => sk === cursor!.after) + 1;
  expect(passed).toBeGreaterThan(0);
  expect(passed).toBeLessThan(total);
  expect(cursor!.counts).toMatchObject({ opened: passed });
  // Whoever reads these again counts too few.
  await table.write(recipients.slice(0, passed).map((_, index) => engaged(owner.id, index, false)));
  await Promise.allSettled([stack.kill(), advanced]);
  await restart();
  // In steps that leave a worker on a busy machine most of its lease.
  for (let round = 0; round < 10 && (await jobsOf(owner, 'recount')).length > 0; round++) {
    await advance(30);
    await idle(stack.origin);
  }
  const counters = (await table.partition(`TEAM#${owner.id}#CAMPAIGN#1`)).find(({ sk }) => sk === 'FEEDBACK');
  expect(counters).toMatchObject({ opened: total, recounts: 1 });
});

it('continues an erasure after the campaign that its cursor names, and goes through all once more', async () => {
  const owner = await team();
  const email = 'gone@example.com';
  const campaigns: number[] = [];
  for (let count = 0; count < 3; count++) {
    const { campaign } = await readyCampaign(owner, [{ email }, { email: 'other@example.com' }]);
    await owner.data('POST', `/campaigns/${campaign}/send`);
    await finished(owner, campaign, stack.origin);
    campaigns.push(campaign);
  }
  const { id: contact_id } = await owner.data('GET', `/contacts/${email}`);
  const at = new Date().toISOString().replace('Z', '+00:00');
  const cursor = `0${String(campaigns[0]).padStart(12, '0')}`;
  await table.write([dueJob({ kind: 'erase', team_id: owner.id, contact_id, email, at, cursor }, new Date(0))]);
  const named = async () => {
    const listed = await Promise.all(campaigns.map((id) => everyRow(owner, `/campaigns/${id}/recipients`)));
    return listed.map((rows) => rows.some((row) => row.email === email));
  };
  await advance(61);
  await idle(stack.origin);
  expect(await named()).toEqual([true, false, false]);
  await advance(600);
  await idle(stack.origin);
  expect(await named()).toEqual([false, false, false]);
  expect(await jobsOf(owner, 'erase')).toEqual([]);
});

const followers = async () => {
  const shards = await Promise.all([0, 1, 2, 3].map((shard) => table.partition(`DUE#${shard}`)));
  return shards.flat().filter(({ kind }) => kind === 'steps') as (Row & { shard: number; cursor?: string })[];
};

it('fires a step of a sequence that is due behind more than one run of a job reaches', async () => {
  const owner = await team();
  const sequence = await newSequence(owner, [newStep('Late', 1, 'days')]);
  await newContacts(owner, ['late@example.com']);
  await enrol(owner, sequence, ['late@example.com']);
  await advance(86_400 - 30);
  await idle(stack.origin);
  // Before the team's own mark: more than a job looks at before it looks at the time, as marks that need a look.
  const [before, queued_at] = [await stamp(-600), await stamp(-300)];
  const marks = Array.from({ length: 2_400 }, (_, index) => ({
    pk: `SEQUENCE_DUE#${index % 16}`,
    sk: `${before}#${900_000_000 + index}#1#0`,
    ...{ team_id: 900_000_000 + index, sequence_id: 1, lane: 0, queued_at },
  }));
  await table.write(marks);
  await inject({ service: 'dynamodb', operation: 'Query', error: 'slow', containing: 'TEAM#900' });
  const advanced = advance(61);
  const stopped = async () => (await followers()).filter(({ cursor }) => cursor).length;
  await expect.poll(stopped, { timeout: 200_000 }).toBe(4);
  await faultless();
  await advanced;
  await idle(stack.origin);
  expect(await stepsSent(owner, sequence, stack.origin)).toHaveLength(1);
  expect(await table.naming('#900000')).toEqual([]);
}, 300_000);

it("sends a planned campaign in its time while another team's long jobs go on", async () => {
  const [many, one] = [await team(), await team()];
  const { members } = await deletedList(many, 3_000);
  await table.write(Array.from({ length: 300 }, (_, index) => recount(many.id, index + 1)));
  const campaign = await planned(one, 30);
  await inject({ service: 'dynamodb', operation: '*', error: 'slow', containing: `TEAM#${many.id}#` });
  const advanced = advance(61);
  const status = async () => (await one.data('GET', `/campaigns/${campaign}`)).status;
  await expect.poll(status, { timeout: 240_000 }).not.toBe('scheduled');
  await advanced;
  await faultless();
  await expect.poll(status, { timeout: 240_000 }).toBe('sent');
  const left = async () => [...(await jobsOf(many, 'recount')), ...(await jobsOf(many, 'purge'))];
  // A job that has failed under the fault waits for minutes before it runs again.
  for (let minutes = 0; minutes < 40 && (await left()).length > 0; minutes++) {
    await idle(stack.origin);
    await advance(61);
  }
  await idle(stack.origin);
  expect(await table.partition(members)).toEqual([]);
  expect(await left()).toEqual([]);
  expect((await counters(many.id, 300))!.recounts).toBe(1);
});

it('runs a job once whose message comes twice, also while it runs', async () => {
  const { id } = await team();
  await table.write([recount(id, 1)]);
  await inject({ service: 'sqs', operation: 'SendMessageBatch', error: 'duplicate' });
  await inject({ service: 'dynamodb', operation: 'Query', error: 'slow', containing: `TEAM#${id}#` });
  await advance(61);
  await idle(stack.origin);
  expect((await counters(id, 1))!.recounts).toBe(1);
  expect(await jobsOf({ id } as never, 'recount')).toEqual([]);
});

it('counts the clicks of a report, and is gone then', async () => {
  const owner = await team();
  const { campaign } = await readyCampaign(owner, []);
  const own = `TEAM#${owner.id}#CAMPAIGN#${campaign}`;
  const click = (who: string, link: string) => ({ pk: `${own}#CLICKS`, sk: `${who} ${link}`, who, link });
  await table.write([click('a@x.example', 'one'), click('a@x.example', 'two'), click('b@x.example', 'two')]);
  await table.write([dueJob({ kind: 'report', team_id: owner.id, campaign_id: campaign }, new Date(0))]);
  await advance(61);
  await idle(stack.origin);
  const counted = (await table.partition(own)).find(({ sk }) => sk === 'REPORT');
  expect(counted).toMatchObject({
    links: { one: { clicks: 1, unique: 1, bots: 0 }, two: { clicks: 2, unique: 2, bots: 0 } },
    counted_at: expect.any(String),
  });
  expect(await jobsOf(owner, 'report')).toEqual([]);
});

it('keeps a job due that the queue refuses', async () => {
  const owner = await team();
  await table.write([recount(owner.id, 1)]);
  await inject({ service: 'sqs', operation: 'SendMessageBatch', error: 'AccessDenied' });
  await advance(61);
  await idle(stack.origin);
  const [job] = await jobsOf(owner, 'recount');
  expect(job).toBeDefined();
  expect(job!.not_before).toBeUndefined();
  await faultless();
  await advance(61);
  await idle(stack.origin);
  expect((await counters(owner.id, 1))!.recounts).toBe(1);
});

it.each([
  { what: 'whose message was lost', lease: 180, worker: undefined },
  { what: 'whose worker died', lease: 75, worker: 'dead' },
])('runs a job $what when its lease has ended, and not before', async ({ lease, worker }) => {
  const owner = await team();
  const row = { ...recount(owner.id, 1), not_before: await stamp(lease), ...(worker && { worker }) };
  await table.write([row]);
  await advance(61);
  await idle(stack.origin);
  expect(await jobsOf(owner, 'recount')).toEqual([row]);
  await advance(180);
  await idle(stack.origin);
  expect(await jobsOf(owner, 'recount')).toEqual([]);
  expect((await counters(owner.id, 1))!.recounts).toBe(1);
});

it('tries a job that fails again after a minute, then after two, and so on', async () => {
  const owner = await team();
  await table.write([recount(owner.id, 1)]);
  await inject({
    service: 'dynamodb',
    operation: 'Query',
    error: 'AccessDeniedException',
    containing: `TEAM#${owner.id}#`,
  });
  const minutes: number[] = [];
  for (let failures = 0; failures < 4; ) {
    await advance(60);
    await idle(stack.origin);
    failures = (await jobsOf(owner, 'recount'))[0]!.failures as number;
    minutes[failures] = (minutes[failures] ?? 0) + 1;
  }
  const [, first = 0, second = 0, third = 0] = minutes;
  expect(second).toBeGreaterThanOrEqual(first);
  expect(third).toBeGreaterThan(second);
  await faultless();
  await advance(600);
  await idle(stack.origin);
  expect(await jobsOf(owner, 'recount')).toEqual([]);
  expect((await counters(owner.id, 1))!.recounts).toBe(1);
});
