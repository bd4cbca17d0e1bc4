import { expect } from 'vitest';

/** Processor time in milliseconds, the least of three runs: independent of other load. */
function cost(work: () => unknown): number {
  const runs = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1_000;
  });
  return Math.min(...runs);
}

/** Expects that work for eight times the length does not cost 64 times as much; the constant covers short times. */
export function expectGrowth(workFor: (length: number) => () => unknown, longest = 80_000): void {
  const [long, short] = [longest, longest / 8].map((length) => cost(workFor(length)));
  expect(long!).toBeLessThan(24 * short! + 200);
}
