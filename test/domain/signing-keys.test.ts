import { expect, it } from 'vitest';
import { keysTaken, signerAt, type TokenUse } from '../../shared/domain/signing-keys.ts';

const day = (days: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + days * 86_400_000);
const at = (days: number) => day(days).toISOString().replace('Z', '+00:00');
const rotated = {
  secret: 'first',
  later: ['second', 'third'].map((secret, i) => ({ secret, signs_from: at(i * 100) })),
};

it.each<[TokenUse, number]>([
  ['confirmation', 30],
  ['waitlist', 180],
  ['report', 365],
])('takes no %s by a key that has signed nothing for %i days', (use, days) => {
  expect(keysTaken({ secret: 'first' }, use, day(9_999))).toEqual(['first']);
  expect(keysTaken(rotated, use, day(-1))).toEqual(['third', 'second', 'first']);
  const first = (now: number) => keysTaken(rotated, use, day(now)).includes('first');
  const second = (now: number) => keysTaken(rotated, use, day(now)).includes('second');
  expect([first(days - 0.01), first(days)]).toEqual([true, false]);
  expect([second(100 + days - 0.01), second(100 + days)]).toEqual([true, false]);
  expect(keysTaken(rotated, use, day(9_999))).toEqual(['third']);
});

it('takes unsubscribe links by every key for ever', () => {
  expect(keysTaken(rotated, 'unsubscribe', day(9_999))).toEqual(['third', 'second', 'first']);
});

it('signs with the newest key whose time has come', () => {
  expect([-1, 0, 99, 100].map((days) => signerAt(rotated, at(days)))).toEqual(['first', 'second', 'second', 'third']);
  expect(signerAt({ secret: 'first' }, at(0))).toBe('first');
});
