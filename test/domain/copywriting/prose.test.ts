import { describe, expect, it } from 'vitest';
import { readProse, readsAsEnglish } from '../../../shared/domain/copywriting/prose.ts';
import { expectGrowth } from '../../support/growth.ts';

describe('prose', () => {
  it('is split into sentences, not at abbreviations and numbers', () => {
    const { sentences } = readProse(['Dr. Smith came at 3 p.m. on Monday. Save 3.5% today! Done?', 'Next one']);
    expect(sentences).toEqual(['Dr. Smith came at 3 p.m. on Monday.', 'Save 3.5% today!', 'Done?', 'Next one']);
  });

  it('reads easily in short words and sentences, and hard in long ones', () => {
    const easy = readProse([
      'The cat sat on the mat. It was a hot day. We had tea and cake in the sun. Then we all went home.',
    ]);
    const hard = readProse([
      'Notwithstanding the considerable organizational difficulties, the administration of the organization ' +
        'has implemented comprehensive infrastructural modifications, necessitating extraordinary ' +
        'interdepartmental communication and additional documentation.',
    ]);
    expect(easy.ease).toBeGreaterThan(90);
    expect(hard.ease).toBeLessThan(10);
  });

  it('has no reading ease when it is short or not English', () => {
    expect(readProse(['Hello there.']).ease).toBeNull();
    const german =
      'Wir freuen uns, dass der Frühling da ist und die Sonne wieder scheint. Kommen Sie mit uns in den ' +
      'Garten und sehen Sie selbst, was dort wächst.';
    expect(readProse([german])).toMatchObject({ english: false, ease: null, passive: [] });
  });

  it.each([
    ['The order was shipped on Monday.', ['was shipped']],
    ['It was quickly written by Ann.', ['was quickly written']],
    ['Mistakes were not made.', ['were not made']],
    ['You are invited.', ['are invited']],
    ['We are interested and excited.', []],
    ['It was red. You are here. He was speed.', []],
    ['We shipped it on Monday.', []],
  ])('finds the passive voice of "%s"', (text, found) => {
    expect(readProse([text]).passive.map(({ phrase }) => phrase)).toEqual(found);
  });

  it('finds sentences that are too long', () => {
    expect(readProse([`${'word '.repeat(40)}end.`, 'Short one.']).long).toHaveLength(1);
  });

  it.each([
    ['Our spring sale starts on Friday', true],
    ['Save 20% on shoes', true],
    ['Der Frühling ist da', false],
    ['Le printemps est arrivé pour vous', false],
    ['La primavera está aquí con los descuentos', false],
    ['Весна пришла', false],
    ['春が来ました', false],
  ])('"%s" reads as English: %s', (text, english) => {
    expect(readsAsEnglish(text)).toBe(english);
  });
});

it.each(['x', 'x.', 'x ', "x'"])('reads a text with many of %j in proportion to its length', (piece) => {
  const english = 'This is what we have for you and for all of the people who were there with us. '.repeat(4);
  expect(readProse([english]).english).toBe(true);
  expectGrowth((length) => {
    const text = english + piece.repeat(length / piece.length);
    return () => readProse([text]);
  }, 20_000);
});

it('reads a long paragraph in parts, in each of which abbreviations take a bounded time', () => {
  const { sentences } = readProse(['See the shops, e.g. '.repeat(2_500)]);
  expect(Math.max(...sentences.map(({ length }) => length))).toBeLessThanOrEqual(2_000);
  expect(readProse([`${'x'.repeat(9_000)} ends. It ends.`]).sentences.at(-1)).toBe('It ends.');
});
