import { it } from 'vitest';
import { givesEverybodyEachStepOnce } from './property.setup.ts';

const seeds = process.env.SEQUENCE_SEED ? [Number(process.env.SEQUENCE_SEED)] : [1, 2];
const rounds = Number(process.env.SEQUENCE_ROUNDS ?? 24);
const kills = Number(process.env.SEQUENCE_KILLS ?? 2);

it.each(seeds)(
  'gives nobody a step twice, nobody one after an exit, and skips nobody, through random edits, exits, pauses, faults, kills and jumps (seed %i)',
  (seed) => givesEverybodyEachStepOnce(seed, rounds, kills),
  300_000,
);
