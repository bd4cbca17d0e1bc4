import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openToken, signToken } from '../../shared/domain/signed-token.ts';

const key = randomBytes(32);
const ids = fc.array(fc.integer({ min: 0, max: 999_999_999_999 }), { minLength: 3, maxLength: 3 });

it('gives back what was signed, and fits in a URL as it is', () => {
  fc.assert(
    fc.property(ids, (given) => {
      const token = signToken(key, 'unsubscribe', given);
      expect(openToken(key, 'unsubscribe', token)).toEqual(given);
      expect(encodeURIComponent(token)).toBe(token);
    }),
  );
});

it('opens no token in which a single character was changed, added or left out', () => {
  const token = signToken(key, 'unsubscribe', [1, 2, 3]);
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'A' ? 'B' : 'A';
    expect(openToken(key, 'unsubscribe', token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
    expect(openToken(key, 'unsubscribe', token.slice(0, at) + token.slice(at + 1))).toBeUndefined();
  }
  for (const extra of ['A', '=', '.', ' ', '\n', '%00'])
    expect(openToken(key, 'unsubscribe', token + extra)).toBeUndefined();
});

it('opens no token of another key, and no text that is not a token', () => {
  const token = signToken(randomBytes(32), 'unsubscribe', [1, 2, 3]);
  expect(openToken(key, 'unsubscribe', token)).toBeUndefined();
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => openToken(key, 'unsubscribe', text) === undefined));
  fc.assert(fc.property(fc.base64String(), (text) => openToken(key, 'unsubscribe', text) === undefined));
});

it('opens no token of another kind', () => {
  expect(openToken(key, 'unsubscribe', signToken(key, 'confirm', [1, 2]))).toBeUndefined();
  expect(openToken(key, 'confirm', signToken(key, 'unsubscribe', [1, 2, 3]))).toBeUndefined();
  expect(openToken(key, 'confirm', signToken(key, 'confirm', [1, 2]))).toEqual([1, 2]);
});
