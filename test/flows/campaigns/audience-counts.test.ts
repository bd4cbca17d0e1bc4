import { it } from 'vitest';
import { expectRecount, faulty } from './audience-counts.setup.ts';

it('counts, indexes and listings equal a recount after random concurrent writes under faults of every kind', () =>
  expectRecount(4, [
    faulty('TransactWriteItems', 'TransactionCanceledException', 0.1),
    faulty('*', 'ProvisionedThroughputExceededException', 0.05),
    faulty('*', 'lost_response', 0.05),
    faulty('TransactWriteItems', 'InternalServerError', 0.05),
  ]));
