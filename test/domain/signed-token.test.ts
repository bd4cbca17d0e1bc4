import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openUnsubscribe, signUnsubscribe } from '../../shared/domain/signed-token.ts';

const key = randomBytes(32);
const claim = fc.record({
  teamId: fc.integer({ min: 1, max: 999_999_999_999 }),
  campaignId: fc.integer({ min: 0, max: 999_999_999_999 }),
  contactId: fc.integer({ min: 0, max: 999_999_999_999 }),
});

it('gives back what was signed, and fits in a URL as it is', () => {
  fc.assert(
    fc.property(claim, (given) => {
      const token = signUnsubscribe(key, given);
      expect(openUnsubscribe(key, token)).toEqual(given);
      expect(encodeURIComponent(token)).toBe(token);
    }),
  );
});

it('opens no token in which a single character was changed, added or left out', () => {
  const token = signUnsubscribe(key, { teamId: 1, campaignId: 2, contactId: 3 });
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'A' ? 'B' : 'A';
    expect(openUnsubscribe(key, token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
    expect(openUnsubscribe(key, token.slice(0, at) + token.slice(at + 1))).toBeUndefined();
  }
  for (const extra of ['A', '=', '.', ' ', '\n', '%00']) expect(openUnsubscribe(key, token + extra)).toBeUndefined();
});

it("opens nothing of another key, and nobody's text", () => {
  const token = signUnsubscribe(randomBytes(32), { teamId: 1, campaignId: 2, contactId: 3 });
  expect(openUnsubscribe(key, token)).toBeUndefined();
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => openUnsubscribe(key, text) === undefined));
  fc.assert(fc.property(fc.base64String(), (text) => openUnsubscribe(key, text) === undefined));
});
