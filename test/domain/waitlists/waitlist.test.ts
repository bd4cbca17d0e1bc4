import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  normalizeCode,
  referralCode,
  slugOf,
  slugPattern,
  slugWithTail,
} from '../../../shared/domain/waitlists/waitlist.ts';

it.each([
  ['Early Access', 'early-access'],
  ['  Ça et là – été!  ', 'ca-et-la-ete'],
  ['x'.repeat(80), 'x'.repeat(50)],
  ['日本', undefined],
  ['ab', undefined],
])('makes of the name %s the slug %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

it('makes valid slugs of any name, with and without a suffix', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 255 }), (name) => {
      const slug = slugOf(name) ?? 'waitlist';
      for (const made of [slug, slugWithTail(slug)]) expect(made).toMatch(slugPattern);
    }),
  );
});

it('makes codes without confusable characters, and normalizes typed ones', () => {
  for (let index = 0; index < 1_000; index++) {
    const code = referralCode();
    expect(code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
    expect(normalizeCode(` ${code.toLowerCase()}\n`)).toBe(code);
  }
});
