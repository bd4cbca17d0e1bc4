import { expect, test } from 'vitest';
import { scenarios } from '../../workers/alarms.setup.ts';
import { alarmsOfTemplate } from './template.ts';

const alarms = (await alarmsOfTemplate()).map(({ name }) => name);

test('every alarm rings in a scenario, and every scenario names alarms of the template', () => {
  expect(alarms.length).toBeGreaterThan(30);
  expect([...new Set(scenarios.flatMap(({ rings }) => rings))].sort()).toEqual(alarms.sort());
  for (const { silent = [] } of scenarios) expect(alarms).toEqual(expect.arrayContaining(silent));
});
