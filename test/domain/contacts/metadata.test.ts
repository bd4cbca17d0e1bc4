import { expect, it } from 'vitest';
import { metadataFault } from '../../../shared/domain/contacts/metadata.ts';

const nested = (depth: number): unknown => (depth === 0 ? 1 : { inner: nested(depth - 1) });

it('accepts every kind of JSON value', () => {
  const list = [1, 'a', null, { deep: [] }];
  const data = { text: 'Zoë 🎉', number: -1.5, yes: true, none: null, list, object: {} };
  expect(metadataFault(data)).toBeUndefined();
});

it.each([
  ['101 keys', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, 1]))],
  ['over 16 KB', { text: 'é'.repeat(8200) }],
  ['an empty key', { '': 1 }],
  ['a key of 101 characters', { ['k'.repeat(101)]: 1 }],
  ['an empty key deep inside', { outer: { '': 1 } }],
  ['11 levels', { outer: nested(11) }],
  ['100,000 levels', { outer: JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) }],
  ['a number that loses digits', { id: 2 ** 53 }],
  ['a number out of range', { id: 1e300 }],
  ['a number too small', { id: 1e-200 }],
  ['half a surrogate pair', { text: '\ud83c' }],
  ['half a surrogate pair in a key', { '\ud83c': 1 }],
])('refuses %s', (_name, data) => {
  expect(metadataFault(data)).toBeDefined();
});
