/** Runs that are merged into one before the others are: their first rows, and the number of the merged run. */
export interface Pass {
  runs: number[];
  into: number;
}

/** No export has so many rows: what a pass has merged has the number of its first run, and so much more. */
const passed = 1e11;

/**
 * The next pass towards at most `most` runs, undefined when they are no more: runs side by side, in which the last row
 * of an address still wins, and none that a pass has merged while there are others.
 */
export function nextPass(runs: readonly number[], most: number): Pass | undefined {
  if (runs.length <= most) return undefined;
  const unmerged = runs.findIndex((run) => run < passed);
  const from = unmerged >= 0 && unmerged < runs.length - 1 ? unmerged : 0;
  const next = runs.slice(from, from + Math.min(most, runs.length - most + 1));
  return { runs: next, into: next[0]! + passed };
}

/** The runs after a pass, in their order. */
export const afterPass = (runs: readonly number[], pass: Pass): number[] =>
  runs.flatMap((run) => (run === pass.runs[0] ? [pass.into] : pass.runs.includes(run) ? [] : [run]));
