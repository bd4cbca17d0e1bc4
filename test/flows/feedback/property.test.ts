import { it } from 'vitest';
import { reportsWhatEventsSay } from './property.setup.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? 1);

it(
  'reports what the events say, in whatever order and however often they come',
  () => reportsWhatEventsSay(runs),
  600_000,
);
