import { it } from 'vitest';
import { expectEachStepOnce } from './property.setup.ts';

it(
  'sends each step once, none after an exit, and skips none under random edits, pauses, faults and kills',
  () => expectEachStepOnce(1, 6, 1),
  120_000,
);
