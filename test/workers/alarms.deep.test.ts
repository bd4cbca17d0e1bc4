import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rings } from '../infra/alarms/evaluator.ts';
import { alarmsOfTemplate } from '../infra/alarms/template.ts';
import { startStack } from '../support/stack.ts';
import { copyAssembly, healthy, type Scenario, scenarios, withCanary } from './alarms.setup.ts';
import { Observed } from './observed.ts';

/** Half an hour of the stack's time, full of attempts, takes a busy machine long. */
const patienceMs = 900_000;

const alarms = await alarmsOfTemplate();

/** Runs a scenario on a stack of its own; returns the alarms that rang. */
async function rang({ run, assembly: prepare, context, before }: Omit<Scenario, 'what' | 'rings'>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-alarms-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const assembly = prepare && join(folder, 'assembly');
  if (assembly) {
    copyAssembly(assembly);
    prepare(assembly);
  }
  const stack = await startStack({ data: join(folder, 'data'), assembly, context });
  try {
    const observed = new Observed(stack, join(folder, 'data'), alarms);
    // Without these minutes, what came before the stack started would be missing data.
    await observed.pass(8);
    await before?.(observed);
    const from = await observed.now();
    await run(observed);
    const [datapoints, to] = [observed.datapoints(), await observed.now()];
    return alarms.filter((alarm) => rings(alarm, datapoints, from, to)).map(({ name }) => name);
  } finally {
    await stack.stop();
  }
}

it(
  'no alarm rings while all goes well',
  async () => {
    expect(await rang({ run: healthy, ...withCanary })).toEqual([]);
  },
  patienceMs,
);

it.each(scenarios)(
  '$what: the alarms ring',
  async ({ rings: expected, silent = [], ...scenario }) => {
    const found = await rang(scenario);
    expect(found).toEqual(expect.arrayContaining(expected));
    expect(found.filter((name) => silent.includes(name))).toEqual([]);
  },
  patienceMs,
);
