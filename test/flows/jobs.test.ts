import { expect, it } from 'vitest';
import { dueJob } from '../../shared/data/due-jobs.ts';
import { idle, readyCampaign } from '../support/campaign.ts';
import { advance, counters, faultless, inject, jobsOf, recount, stack, stamp, table, team } from './jobs.setup.ts';

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
