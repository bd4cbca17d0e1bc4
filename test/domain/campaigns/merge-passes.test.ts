import fc from 'fast-check';
import { expect, it } from 'vitest';
import { afterPass, nextPass } from '../../../shared/domain/campaigns/merge-passes.ts';

it('passes leave no more runs than are asked for, read no more at once, keep the order, and merge a run once', () => {
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
