import { expect, it } from 'vitest';
import { idle } from '../support/campaign.ts';
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
