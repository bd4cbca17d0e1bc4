import { it } from 'vitest';
import { expectReportsMatchEvents } from './property.setup.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? 5);

it(
  'reports what the events say, in whatever order and however often they come',
  () => expectReportsMatchEvents(runs),
  600_000,
);
