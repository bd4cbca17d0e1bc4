import { it } from 'vitest';
import { givesEverybodyEachStepOnce } from './property.setup.ts';

it(
  'gives nobody a step twice, nobody one after an exit, and skips nobody, through random edits, exits, pauses, faults, kills and jumps',
  () => givesEverybodyEachStepOnce(1, 6, 1),
  120_000,
);
