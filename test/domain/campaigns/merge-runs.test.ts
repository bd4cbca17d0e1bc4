import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ExportPerson } from '../../../shared/domain/campaigns/export-rows.ts';
import { afterPass, mergedRuns, nextPass, sortedRun } from '../../../shared/domain/campaigns/merge-runs.ts';

const person = (email: string, first_name: string): ExportPerson => ({ email, first_name, metadata: {} });

/** A run in chunks of a size. */
async function* chunks(people: readonly ExportPerson[], size: number): AsyncGenerator<ExportPerson[]> {
  for (let at = 0; at < people.length; at += size) yield people.slice(at, at + size);
}

it('merges runs into one in address order, with the last row of each address, whatever their chunks', async () => {
  const run = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
  const property = fc.asyncProperty(
    fc.array(run, { maxLength: 6 }),
    fc.integer({ min: 1, max: 7 }),
    async (runs, size) => {
      const read = runs.map((numbers, index) =>
        numbers.map((number, at) => person(`p${number}@x.example`, `${index}/${at}`)),
      );
      const batches: ExportPerson[][] = [];
      for await (const batch of mergedRuns(read.map((people) => chunks(sortedRun(people), size)))) batches.push(batch);
      const last = new Map(read.flat().map((found) => [found.email, found]));
      const expected = [...last.keys()].sort().map((email) => last.get(email));
      expect(batches.flat()).toEqual(expected);
      expect(batches.every(({ length }) => length > 0)).toBe(true);
    },
  );
  await fc.assert(property, { seed: 3, numRuns: 100 });
});

it('passes leave no more runs than are asked for, read no more at once, keep the order, and merge few rows twice', () => {
  const property = fc.property(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 2, max: 30 }), (count, most) => {
    let runs = Array.from({ length: count }, (_, index) => index * 10_000);
    const holds = new Map(runs.map((run) => [run, [run]]));
    let merged = 0;
    for (let pass = nextPass(runs, most); pass; pass = nextPass(runs, most)) {
      expect(pass.runs.length).toBeGreaterThan(1);
      expect(pass.runs.length).toBeLessThanOrEqual(most);
      expect(holds.has(pass.into)).toBe(false);
      const held = pass.runs.flatMap((run) => holds.get(run)!);
      holds.set(pass.into, held);
      merged += held.length;
      runs = afterPass(runs, pass);
    }
    expect(runs.length).toBeLessThanOrEqual(most);
    expect(runs.flatMap((run) => holds.get(run)!)).toEqual(Array.from({ length: count }, (_, at) => at * 10_000));
    if (count <= most * most) expect(merged).toBeLessThanOrEqual(count);
  });
  fc.assert(property, { seed: 3, numRuns: 60 });
});
