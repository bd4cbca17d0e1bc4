import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignVariants, sliceSize, variantOf, winnerOf } from '../../../shared/domain/campaigns/ab-test.ts';

const split = (percentage: number, variants: number) => ({ seed: '7/12', percentage, variants });

describe('the split', () => {
  it.each([
    [0, 20, 2, 0],
    [1, 20, 2, 1],
    [2, 20, 2, 2],
    [3, 20, 5, 3],
    [7, 1, 5, 5],
    [100, 20, 2, 20],
    [101, 20, 2, 21],
    [1_000_000, 1, 3, 10_000],
    [50, 100, 2, 50],
  ])('of %i recipients at %i%% with %i variants has %i in the test', (recipients, percentage, variants, size) => {
    expect(sliceSize(recipients, split(percentage, variants))).toBe(size);
  });

  it('is exact and even however the audience is cut into writes, and repeatable', () => {
    const writes = fc.array(fc.integer({ min: 1, max: 170 }), { minLength: 1, maxLength: 12 });
    const property = fc.property(
      writes,
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 2, max: 5 }),
      (sizes, percentage, variants) => {
        let before = 0;
        const letters = sizes.map((size) => {
          const letters = assignVariants(split(percentage, variants), before, size);
          expect(letters).toHaveLength(size);
          expect(assignVariants(split(percentage, variants), before, size)).toBe(letters);
          before += size;
          return letters;
        });
        const drawn = [...letters.join('')].flatMap((letter) => variantOf(letter) ?? []);
        expect(drawn).toHaveLength(sliceSize(before, split(percentage, variants)));
        const each = Array.from({ length: variants }, (_, index) => drawn.filter((id) => id === index + 1).length);
        expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(1);
        expect(drawn.every((id) => id >= 1 && id <= variants)).toBe(true);
      },
    );
    fc.assert(property, { seed: 4, numRuns: 100 });
  });

  it('draws whole pages, and places of one page for what is left', () => {
    const letters = assignVariants(split(23, 2), 0, 1_000);
    const pages = Array.from({ length: 20 }, (_, page) => letters.slice(page * 50, page * 50 + 50));
    const inTest = pages.map((page) => [...page].filter((letter) => letter !== '-').length);
    expect(inTest.filter(Boolean).sort((a, b) => a - b)).toEqual([30, 50, 50, 50, 50]);
    for (const page of pages) expect(Math.abs(page.split('a').length - page.split('b').length)).toBeLessThanOrEqual(1);
  });

  it('draws from all pages and places, and differs by write and by campaign', () => {
    const drawn = new Array<number>(150).fill(0);
    for (let write = 0; write < 400; write++)
      for (const [index, letter] of [...assignVariants(split(20, 2), write * 150, 150)].entries())
        if (letter !== '-') drawn[index] = drawn[index]! + 1;
    expect(Math.min(...drawn)).toBeGreaterThan(40);
    expect(Math.max(...drawn)).toBeLessThan(130);
    expect(assignVariants(split(20, 2), 0, 50)).not.toBe(assignVariants({ ...split(20, 2), seed: '7/13' }, 0, 50));
  });
});

describe('the winner', () => {
  const result = (id: number, sent: number, opened: number, clicked = 0) => ({ id, sent, opened, clicked });

  it.each([
    ['most opens of its messages', [result(1, 100, 10), result(2, 50, 6)], 'opens', 2],
    ['most clicks where those decide', [result(1, 50, 40, 1), result(2, 50, 1, 2)], 'clicks', 2],
    ['the first of equal ones', [result(1, 50, 3), result(2, 50, 5), result(3, 50, 5)], 'opens', 2],
    ['the first when there are no opens and clicks', [result(1, 50, 0), result(2, 50, 0)], 'opens', 1],
    ['not one that was never sent', [result(1, 0, 0), result(2, 1, 1)], 'opens', 2],
  ] as const)('is %s', (_name, results, metric, winner) => {
    expect(winnerOf(results, metric)).toBe(winner);
  });
});
