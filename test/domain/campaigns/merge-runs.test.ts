import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ExportPerson } from '../../../shared/domain/campaigns/export-rows.ts';
import { mergedRuns, sortedRun } from '../../../shared/domain/campaigns/merge-runs.ts';

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
