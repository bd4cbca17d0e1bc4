import { expect, it } from 'vitest';
import { control } from '../../support/team.ts';
import { beforeImport, cutOff, stack, stateOf } from './bulk-crash.setup.ts';

it('gives the result of one clean call when a killed call is repeated under its Idempotency-Key', async () => {
  const [clean, crashed] = [await beforeImport(), await beforeImport()];
  const key = { 'idempotency-key': 'import' };
  const { body: expected } = await clean.call(key);
  expect([expected.created, expected.updated]).toEqual([997, 3]);
  await cutOff(crashed, key);
  // The killed call's claim on its Idempotency-Key ends with its lease.
  expect((await crashed.call(key)).status).toBe(409);
  await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
  const { status, body } = await crashed.call(key);
  expect([status, body]).toEqual([200, expected]);
  expect(await stateOf(crashed)).toEqual(await stateOf(clean));
  expect((await crashed.call(key)).body).toEqual(expected);
});
