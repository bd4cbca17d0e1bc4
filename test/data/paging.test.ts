import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Direction,
  filtered,
  merged,
  readPage,
  resolved,
  type Search,
  type Source,
  selected,
} from '../../shared/data/paging.ts';

/** A listing of numbers, at positions that sort like them. */
function numbers(all: readonly number[]): Source<number> {
  const rows = all.map((item) => ({ position: String(item).padStart(6, '0'), item }));
  return async function* (direction, from) {
    const ordered = direction === 'forward' ? rows : [...rows].reverse();
    for (const row of ordered)
      if (from === undefined || (direction === 'forward' ? row.position > from : row.position < from)) yield row;
  };
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The ways to search for every n-th number. */
const searches: [string, (all: Source<number>, every: number) => Search<number>][] = [
  ['by batches', (all, every) => selected(all, async (items) => items.filter((item) => item % every === 0))],
  ['row by row', (all, every) => filtered(all, (item) => item % every === 0)],
  [
    'row by row, and row by row in what was found',
    (all, every) =>
      filtered(
        filtered(all, (item) => item % 2 === 0 || item % every === 0),
        (item) => item % every === 0,
      ),
  ],
  [
    'row by row, each looked up',
    (all, every) =>
      resolved(
        filtered(all, (item) => item % every === 0),
        async (items) => items,
      ),
  ],
];

describe('a search whose time is over', () => {
  const over = 0;

  it.each(searches)(
    'gives short pages that together show every row once, forwards and backwards: %s',
    async (_how, of) => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 1_500 }),
          fc.integer({ min: 1, max: 1_500 }),
          fc.integer({ min: 1, max: 9 }),
          async (count, every, size) => {
            const search = of(numbers(upTo(count)), every);
            const wanted = upTo(count).filter((item) => item % every === 0);
            const read = async (direction: Direction, start: string | undefined) => {
              const found: number[] = [];
              let from = start;
              let pages = 0;
              do {
                const page = await readPage(search, direction, from, size, { deadline: over });
                expect(page.items.length).toBeLessThanOrEqual(size);
                if (direction === 'forward') found.push(...page.items);
                else found.unshift(...page.items);
                from = direction === 'forward' ? page.next : page.prev;
                expect(++pages).toBeLessThan(5_000);
              } while (from !== undefined);
              return found;
            };
            expect(await read('forward', undefined)).toEqual(wanted);
            expect(await read('backward', '999999')).toEqual(wanted);
          },
        ),
        { seed: 20261121, numRuns: 40 },
      );
    },
  );

  it('returns a cursor after a few batches, however few rows were found', async () => {
    for (const [, of] of searches) {
      let seen = 0;
      const all = numbers(upTo(100_000));
      const watched: Source<number> = async function* (...from) {
        for await (const row of all(...from)) {
          seen++;
          yield row;
        }
      };
      const page = await readPage(of(watched, 90_000), 'forward', undefined, 25, { deadline: over });
      expect(page).toMatchObject({ items: [0], next: expect.any(String) });
      expect(seen).toBeLessThan(1_000);
    }
  });

  it('turns around on a page that is empty without losing the row it came from', async () => {
    const search = selected(numbers(upTo(3_000)), async (items) => items.filter((item) => item < 5));
    const first = await readPage(search, 'forward', undefined, 5);
    expect(first).toEqual({ items: [0, 1, 2, 3, 4], next: undefined, prev: undefined });
    const empty = await readPage(search, 'forward', '000004', 5, { deadline: over });
    expect(empty.items).toEqual([]);
    expect((await readPage(search, 'backward', empty.prev, 5)).items).toEqual([0, 1, 2, 3, 4]);
  });
});

it('a search goes on in what it has begun to read, and ends a page after so many rows', async () => {
  for (const [, of] of searches) {
    let [opened, seen] = [0, 0];
    const all = numbers(upTo(100_000));
    const watched: Source<number> = async function* (...from) {
      opened++;
      for await (const row of all(...from)) {
        seen++;
        yield row;
      }
    };
    const page = await readPage(of(watched, 90_000), 'forward', undefined, 25, { rows: 10_000 });
    expect(page).toMatchObject({ items: [0], next: expect.any(String) });
    expect(opened).toBe(1);
    expect(seen).toBeLessThanOrEqual(11_000);
  }
});

it('several listings in one order show a row that is in several of them once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uniqueArray(fc.nat(30))), async (lists) => {
      const sources = lists.map((list) => numbers(list.sort((a, b) => a - b)));
      const wanted = [...new Set(lists.flat())].sort((a, b) => a - b);
      const { items } = await readPage(merged(sources, true), 'forward', undefined, 100);
      expect(items).toEqual(wanted);
      expect((await readPage(merged(sources, true), 'backward', undefined, 100)).items).toEqual(wanted);
    }),
    { seed: 20261121 },
  );
});
