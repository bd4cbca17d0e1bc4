import { BulkEmailStatus } from '@aws-sdk/client-sesv2';
import { expect, it } from 'vitest';
import { handling } from '../support/bulk-status.ts';

it('decides on every status that SES may give a message, also on those that a later SDK adds', () => {
  expect(Object.keys(handling).sort()).toEqual(Object.values(BulkEmailStatus).sort());
});
