import { expect, it } from 'vitest';
import { dueJob } from '../../shared/data/due-jobs.ts';
import { idle } from '../support/campaign.ts';
import { advance, deletedList, faultless, inject, jobsOf, planned, stack, stamp, table, team } from './jobs.setup.ts';

/** A job as the version before stored it: it recounts the feedback of a campaign, which costs five calls. */
const recount = (teamId: number, campaign_id: number) =>
  dueJob({ kind: 'recount', team_id: teamId, campaign_id, batch: 'b' }, new Date(0));
const counters = async (teamId: number, campaign: number) =>
  (await table.partition(`TEAM#${teamId}#CAMPAIGN#${campaign}`)).find(({ sk }) => sk === 'FEEDBACK');

it("sends a planned campaign in its time while another team's long jobs go on", async () => {
  const [many, one] = [await team(), await team()];
  const { members } = await deletedList(many, 3_000);
  await table.write(Array.from({ length: 300 }, (_, index) => recount(many.id, index + 1)));
  const campaign = await planned(one, 30);
  await inject({ service: 'dynamodb', operation: '*', error: 'slow', containing: `TEAM#${many.id}#` });
  const advanced = advance(61);
  const status = async () => (await one.data('GET', `/campaigns/${campaign}`)).status;
  await expect.poll(status, { timeout: 60_000 }).not.toBe('scheduled');
  await advanced;
  await faultless();
  await expect.poll(status, { timeout: 60_000 }).toBe('sent');
  for (let minutes = 0; minutes < 10 && (await jobsOf(many, 'purge')).length > 0; minutes++) {
    await idle(stack.origin);
    await advance(61);
  }
  await idle(stack.origin);
  expect(await table.partition(members)).toEqual([]);
  expect([await jobsOf(many, 'recount'), await jobsOf(many, 'purge')]).toEqual([[], []]);
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
