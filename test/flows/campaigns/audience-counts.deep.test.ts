import { it } from 'vitest';
import { expectRecount, faulty } from './audience-counts.setup.ts';

it.each<[string, number, object[]]>([
  ['', 20261120, []],
  [
    ' while transactions are in conflict',
    1,
    [
      faulty('TransactWriteItems', 'TransactionCanceledException', 0.2),
      faulty('UpdateItem', 'TransactionConflictException', 0.05),
    ],
  ],
  [' while the table throttles', 2, [faulty('*', 'ProvisionedThroughputExceededException', 0.1)]],
  [' while answers get lost', 3, [faulty('*', 'lost_response', 0.1)]],
])('counts, indexes and listings equal a recount after random concurrent writes%s', (_name, seed, faults) =>
  expectRecount(seed, faults),
);
