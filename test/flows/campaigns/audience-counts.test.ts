import { it } from 'vitest';
import { expectRecount, faulty } from './audience-counts.setup.ts';

it.each<[string, number, object[]]>([
  ['', 20261120, []],
  [
    ' while all of it happens and calls are refused half-way',
    4,
    [
      faulty('TransactWriteItems', 'TransactionCanceledException', 0.1),
      faulty('*', 'ProvisionedThroughputExceededException', 0.05),
      faulty('*', 'lost_response', 0.05),
      faulty('TransactWriteItems', 'InternalServerError', 0.05),
    ],
  ],
])('counts, indexes and listings equal a recount after a random run of concurrent writes%s', (_name, seed, faults) =>
  expectRecount(seed, faults),
);
