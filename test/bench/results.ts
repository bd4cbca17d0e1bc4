import type { UsageReport } from '../../local/usage.ts';

/** One measured figure and its budget, if it has one. */
export interface Result {
  what: string;
  /** NaN when it could not be measured. */
  figure: number;
  unit: string;
  atMost?: number;
  atLeast?: number;
  /** What else was measured. */
  details?: string;
}

/** Whether a figure is within its budget; one without a budget is. */
export function within({ figure, atMost = Number.POSITIVE_INFINITY, atLeast = 0 }: Result): boolean {
  return figure <= atMost && figure >= atLeast;
}

function budgetOf({ atMost, atLeast }: Result): string {
  if (atMost !== undefined) return `<= ${atMost.toLocaleString('en-US')}`;
  return atLeast === undefined ? 'none' : `>= ${atLeast.toLocaleString('en-US')}`;
}

/** Results as the JSON of `--json`; a figure that could not be measured is -1. */
export function asJson(results: readonly Result[]): string {
  const rows = results.map((result) => ({
    what: `${result.what} (${result.unit})`,
    budget: budgetOf(result),
    figure: Number.isNaN(result.figure) ? -1 : Number(result.figure.toPrecision(7)),
    within: within(result),
  }));
  return JSON.stringify(rows, null, 2);
}

/** Results as a table, which marks a missed budget. */
export function asTable(results: readonly Result[]): string {
  const header = ['what', 'budget', 'figure', '', 'details'];
  const rows = results.map((result) => {
    const verdict = budgetOf(result) === 'none' ? '' : within(result) ? 'OK' : 'MISS';
    return [result.what, budgetOf(result), `${round(result.figure)} ${result.unit}`, verdict, result.details ?? ''];
  });
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map((row) => line(row))].join('\n');
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

/** The usage of one function; undefined when it did not run. */
export function functionOf({ functions }: UsageReport, name: string): UsageReport['functions'][string] | undefined {
  return Object.entries(functions).find(([full]) => full.endsWith(`-${name}`))?.[1];
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
