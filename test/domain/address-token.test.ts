import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { sealToken, unsealToken } from '../../shared/domain/address-token.ts';
import { openToken, signToken } from '../../shared/domain/signed-token.ts';

const key = randomBytes(32);
const email = 'ann@example.com';
const ids = fc.array(fc.integer({ min: 0, max: 999_999_999_999 }), { minLength: 3, maxLength: 3 });

it('gives back ids and address, fits in a URL as it is, and shows no address', () => {
  fc.assert(
    fc.property(ids, fc.emailAddress(), (given, address) => {
      const token = sealToken(key, 'unsubscribe', given, address);
      expect(unsealToken(key, 'unsubscribe', token)).toEqual({ ids: given, email: address });
      expect(encodeURIComponent(token)).toBe(token);
      expect(Buffer.from(token, 'base64url').includes(address)).toBe(false);
    }),
  );
});

it('opens no token in which a single character was changed, added or left out', () => {
  const token = sealToken(key, 'unsubscribe', [1, 2, 3], email);
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'A' ? 'B' : 'A';
    expect(unsealToken(key, 'unsubscribe', token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
    expect(unsealToken(key, 'unsubscribe', token.slice(0, at) + token.slice(at + 1))).toBeUndefined();
  }
  for (const extra of ['A', '=', '.', ' ', '\n', '%00'])
    expect(unsealToken(key, 'unsubscribe', token + extra)).toBeUndefined();
});

it('opens no token of another key or kind, and no text that is not a token', () => {
  expect(unsealToken(key, 'unsubscribe', sealToken(randomBytes(32), 'unsubscribe', [1, 2, 3], email))).toBeUndefined();
  expect(unsealToken(key, 'unsubscribe', sealToken(key, 'sequence', [1, 2, 3], email))).toBeUndefined();
  expect(unsealToken(key, 'unsubscribe', signToken(key, 'unsubscribe', [1, 2, 3]))).toBeUndefined();
  expect(openToken(key, 'unsubscribe', sealToken(key, 'unsubscribe', [1, 2, 3], email))).toBeUndefined();
  for (const text of [fc.string({ maxLength: 120 }), fc.base64String({ maxLength: 200 })])
    fc.assert(fc.property(text, (token) => unsealToken(key, 'unsubscribe', token) === undefined));
});

it('is the same for the same message, so that a repeated page has equal content', () => {
  const token = () => sealToken(key, 'unsubscribe', [1, 2, 3], email);
  expect(token()).toBe(token());
  expect(sealToken(key, 'unsubscribe', [1, 2, 3], 'bob@example.com').slice(0, 16)).not.toBe(token().slice(0, 16));
});
