import { describe, expect, it } from 'vitest';
import { once, runUnder, tally } from './faults.setup.ts';

describe('every subscriber gets each step exactly once under', () => {
  it.each<[string, object[]]>([
    [
      'a table that throttles',
      [{ service: 'dynamodb', operation: '*', error: 'ProvisionedThroughputExceededException', rate: 0.2 }],
    ],
    [
      'writes in conflict',
      [
        { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionCanceledException', rate: 0.3 },
        { service: 'dynamodb', operation: 'UpdateItem', error: 'TransactionConflictException', rate: 0.1 },
      ],
    ],
    ['a table whose answers get lost', [{ service: 'dynamodb', operation: '*', error: 'lost_response', rate: 0.1 }]],
    [
      'a provider that throttles',
      [{ service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', rate: 0.3 }],
    ],
    [
      "a provider's answers that get lost",
      [{ service: 'ses', operation: 'SendBulkEmail', error: 'lost_response', count: 3 }],
    ],
    [
      'a daily quota that is used up at first',
      [{ service: 'ses', operation: 'SendBulkEmail', error: 'LimitExceededException', count: 2 }],
    ],
    ['shards queued twice', [{ service: 'sqs', operation: '*', error: 'duplicate' }]],
    ['a queue that refuses', [{ service: 'sqs', operation: '*', error: 'InternalFailure', rate: 0.4 }]],
  ])(
    '%s',
    async (_name, faults) => {
      const { emails, inside, messages } = await runUnder(faults);
      expect(tally(messages)).toEqual(once(emails, ['One', 'Two']));
      expect(inside.filter(({ status }) => status === 'completed')).toHaveLength(emails.length);
    },
    180_000,
  );
});

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

it('shows a step as unknown when the provider gave no answer, never sends it again, and continues', async () => {
  const fault = { service: 'ses', operation: 'SendBulkEmail', error: 'InternalServiceErrorException', count: 1 };
  const { emails, inside, messages } = await runUnder([fault]);
  const counts = tally(messages);
  expect(new Set(Object.values(counts))).toEqual(new Set([1]));
  const missing = 2 * emails.length - messages.length;
  expect(missing).toBeGreaterThan(0);
  expect(missing).toBeLessThanOrEqual(50);
  expect(inside.every(({ status }) => status === 'completed')).toBe(true);
  expect(inside.filter(({ unknown_steps }) => unknown_steps.length === 1)).toHaveLength(missing);
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
