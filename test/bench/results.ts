import type { UsageReport } from '../../local/usage.ts';

/** One measured budget. */
export interface Result {
  what: string;
  budget: string;
  figure: string;
  within: boolean;
  /** Consumed capacity and calls. */
  consumed?: string;
}

/** Prints results as a table; marks a missed budget, without an error. */
export function printTable(results: readonly Result[]): void {
  const header = ['what', 'budget', 'figure', '', 'consumed capacity and calls'];
  const rows = results.map(({ what, budget, figure, within, consumed = '' }) => {
    return [what, budget, figure, within ? 'OK' : 'MISS', consumed];
  });
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  console.log(
    [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map((row) => line(row))].join('\n'),
  );
}

/** Capacity and calls of some work, divided by its number of runs. */
export function consumedBy(used: Pick<UsageReport, 'calls' | 'capacity'>, times: number, per: string): string {
  const { calls, capacity } = used;
  const sorted = Object.entries(calls).sort(([, a], [, b]) => b - a);
  const shown = sorted.map(([operation, count]) => `${round(count / times)} ${operation.replace(/^dynamodb:/, '')}`);
  return `per ${per}: ${round(capacity.write / times)} WU, ${round(capacity.read / times)} RU; ${shown.join(', ')}`;
}

/** The summed usage of several functions. */
export function usedBy(report: UsageReport, ...names: string[]): Pick<UsageReport, 'calls' | 'capacity'> {
  const sum: Pick<UsageReport, 'calls' | 'capacity'> = { calls: {}, capacity: { read: 0, write: 0 } };
  for (const [name, used] of Object.entries(report.functions)) {
    if (!names.some((wanted) => name.endsWith(`-${wanted}`))) continue;
    sum.capacity.read += used.capacity.read;
    sum.capacity.write += used.capacity.write;
    for (const [operation, count] of Object.entries(used.calls))
      sum.calls[operation] = (sum.calls[operation] ?? 0) + count;
  }
  return sum;
}

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** A number with three significant digits, or an integer if it is large. */
export function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

/** The milliseconds of each of `times` sequential runs. */
export async function timings(times: number, run: (index: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < times; index++) {
    const begun = performance.now();
    await run(index);
    taken.push(performance.now() - begun);
  }
  return taken;
}
