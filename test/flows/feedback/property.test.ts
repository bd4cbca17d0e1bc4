import { it } from 'vitest';
import { reportsWhatEventsSay } from './property.setup.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? 1);

it(
  'reports, whatever comes how often and in which order, what the events say when all is quiet',
  () => reportsWhatEventsSay(runs),
  600_000,
);
