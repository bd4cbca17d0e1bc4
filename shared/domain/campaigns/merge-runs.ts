import { concurrently } from '../concurrently.ts';
import type { ExportPerson } from './export-rows.ts';

const startedAtOnce = 16;

/** Merges runs of rows in address order into one, in batches: one row an address, that of the last run that has it. */
export async function* mergedRuns(runs: readonly AsyncGenerator<ExportPerson[]>[]): AsyncGenerator<ExportPerson[]> {
  const heads = runs.map((run) => ({ run, people: [] as ExportPerson[] }));
  const refill = async (head: (typeof heads)[number]) => {
    const { value, done } = await head.run.next();
    head.people = done ? [] : value;
  };
  for (let empty = heads, open = heads; ; ) {
    await concurrently(empty, startedAtOnce, refill);
    open = open.filter(({ people }) => people.length > 0);
    if (open.length === 0) return;
    // Nothing up to here is still to come.
    const bound = open.map(({ people }) => people.at(-1)!.email).reduce((a, b) => (a < b ? a : b));
    const ready = new Map<string, ExportPerson>();
    for (const head of open) {
      const own = head.people.filter(({ email }) => email <= bound);
      for (const person of own) ready.set(person.email, person);
      head.people = head.people.slice(own.length);
    }
    yield [...ready.values()].sort(byAddress);
    empty = open.filter(({ people }) => people.length === 0);
  }
}

/** One row an address, the last of those given, in address order. */
export const sortedRun = (people: readonly ExportPerson[]): ExportPerson[] =>
  [...new Map(people.map((person) => [person.email, person])).values()].sort(byAddress);

const byAddress = (a: ExportPerson, b: ExportPerson): number => (a.email < b.email ? -1 : 1);
