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
