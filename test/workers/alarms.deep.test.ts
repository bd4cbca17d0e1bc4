import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rings } from '../infra/alarms/evaluator.ts';
import { alarmsOfTemplate } from '../infra/alarms/template.ts';
import { startStack } from '../support/stack.ts';
import { type Scenario, scenarios } from './alarms.setup.ts';
import { Observed } from './observed.ts';

const alarms = await alarmsOfTemplate();

/** Runs a scenario on a stack of its own; returns the alarms that rang. */
async function rang({ run, context }: Pick<Scenario, 'run' | 'context'>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-alarms-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stack = await startStack({ data: folder, context });
  try {
    const observed = new Observed(stack, folder);
    // What came before a deployment is not missing data.
    await observed.pass(8);
    const from = await observed.now();
    await run(observed);
    const [datapoints, to] = [observed.datapoints(), await observed.now()];
    return alarms.filter((alarm) => rings(alarm, datapoints, from, to)).map(({ name }) => name);
  } finally {
    await stack.stop();
  }
}

it.each(scenarios)('$what: the alarms ring', async (scenario) => {
  expect(await rang(scenario)).toEqual(expect.arrayContaining(scenario.rings));
});
