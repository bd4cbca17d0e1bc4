import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { isSealed, openWith, sealWith } from '../../shared/domain/sealed.ts';

const dataKey = randomBytes(32);
const secret = 'whsec_Zürich';
const sealed = sealWith(dataKey, '7 webhook 3', secret);

it('opens a sealed secret for the record that it was sealed for', () => {
  expect(openWith(dataKey, '7 webhook 3', sealed)).toBe(secret);
});

it('seals the same secret differently each time', () => {
  expect(sealWith(dataKey, '7 webhook 3', secret)).not.toEqual(sealed);
});

it.each([
  ['another team', dataKey, '8 webhook 3'],
  ['another record', dataKey, '7 webhook 4'],
  ['another data key', randomBytes(32), '7 webhook 3'],
])('opens nothing for %s', (_what, key, owner) => {
  expect(() => openWith(key, owner, sealed)).toThrow();
});

it('opens nothing of which a byte was changed or cut off', () => {
  for (let at = 1; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(() => openWith(dataKey, '7 webhook 3', changed), String(at)).toThrow();
    expect(() => openWith(dataKey, '7 webhook 3', sealed.subarray(0, at)), String(at)).toThrow();
  }
});

it('tells what is sealed from a text and from gzip, as earlier versions stored them', () => {
  expect([isSealed(sealed), isSealed(secret), isSealed(gzipSync(secret))]).toEqual([true, false, false]);
});
