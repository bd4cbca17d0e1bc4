import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { stepsSent, subscribersOf } from '../../support/sequence.ts';
import { control } from '../../support/team.ts';
import { crowd, forward, once, restart, runUnder, stack, tally, team } from './faults.setup.ts';

const kills = Number(process.env.CRASH_KILLS ?? 1);

it('every subscriber gets each step exactly once under faults of every kind together', async () => {
  const { emails, inside, messages } = await runUnder([
    { service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.05 },
    { service: 'dynamodb', operation: 'UpdateItem', error: 'TransactionConflictException', rate: 0.05 },
    { service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.05 },
    { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', rate: 0.2 },
    { service: 'ses', operation: 'SendBulkEmail', error: 'lost_response', rate: 0.2 },
    { service: 'sqs', operation: '*', error: 'duplicate', rate: 0.3 },
  ]);
  expect(tally(messages)).toEqual(once(emails, ['One', 'Two']));
  expect(inside.filter(({ status }) => status === 'completed')).toHaveLength(emails.length);
}, 180_000);

it('counts a step as sent when the provider gave no answer, never sends it again, and continues', async () => {
  const fault = { service: 'ses', operation: 'SendBulkEmail', error: 'InternalServiceErrorException', count: 1 };
  const { emails, inside, messages } = await runUnder([fault]);
  const counts = tally(messages);
  expect(new Set(Object.values(counts))).toEqual(new Set([1]));
  const missing = 2 * emails.length - messages.length;
  expect(missing).toBeGreaterThan(0);
  expect(missing).toBeLessThanOrEqual(50);
  expect(inside.every(({ status }) => status === 'completed')).toBe(true);
}, 180_000);

it('ends the sequence for recipients that the provider refuses, with its error, and for no others', async () => {
  const fault = { service: 'ses', operation: 'SendBulkEmail', error: 'MessageRejected', count: 1 };
  const { emails, inside, messages } = await runUnder([fault]);
  const failed = inside.filter(({ status }) => status === 'failed');
  expect(failed.length).toBeGreaterThan(0);
  for (const { exit_reason } of failed) expect(exit_reason).toEqual(expect.any(String));
  const refused = new Set(failed.map(({ email }) => email));
  expect(tally(messages)).toEqual(
    once(
      emails.filter((email) => !refused.has(email)),
      ['One', 'Two'],
    ),
  );
}, 180_000);

it('mails no subscriber twice and completes all of them when the stack is killed repeatedly', async () => {
  const people = 120;
  const { sequence, emails } = await crowd(people);
  const accepted = async () => (await stepsSent(team, sequence, stack.origin)).length;
  for (let kill = 0; kill < kills; kill++) {
    const before = await accepted();
    // The stack is killed before this request ends.
    const advance = control('POST', '/clock', { advance_seconds: 130 }, stack.origin).catch(() => undefined);
    const patience = Date.now() + 8_000;
    while ((await accepted()) < before + 30 && Date.now() < patience) await setTimeout(20);
    await stack.kill();
    await advance;
    await restart();
    await idle(stack.origin);
  }
  for (let time = 0; time < 4; time++) await forward(5 * 60);
  const messages = await stepsSent(team, sequence, stack.origin);
  expect(new Set(Object.values(tally(messages)))).toEqual(new Set([1]));
  const inside = [...(await subscribersOf(team, sequence)).values()];
  expect(inside.map(({ email }) => email)).toEqual(emails.toSorted());
  expect(inside.every(({ status }) => status === 'completed')).toBe(true);
  // At each kill, at most one page of each of the four shards was between claim and answer.
  expect(2 * people - messages.length).toBeLessThanOrEqual(kills * 4 * 50);
}, 240_000);
