import { expect, it } from 'vitest';
import { isBusy } from '../../shared/aws/busy.ts';

const named = (name: string, more: object = {}) => Object.assign(new Error('no'), { name, ...more });

it.each([
  named('ThrottlingException'),
  named('ProvisionedThroughputExceededException'),
  named('TimeoutError'),
  named('TransactionInProgressException'),
  named('InternalServerError', { $metadata: { httpStatusCode: 500 } }),
  named('TransactionCanceledException', { CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }] }),
])('$name says that a dependency is busy', (error) => {
  expect(isBusy(error)).toBe(true);
});

it.each([
  new Error('Throttling, TimeoutError and ServiceUnavailable are only words of a message'),
  named('ValidationException', { $metadata: { httpStatusCode: 400 } }),
  named('TransactionCanceledException', { CancellationReasons: [{ Code: 'ConditionalCheckFailed' }] }),
  'TimeoutError',
])('%s does not', (error) => {
  expect(isBusy(error)).toBe(false);
});
