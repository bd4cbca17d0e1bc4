import { it } from 'vitest';
import { expectEachStepOnce } from './property.setup.ts';

const seeds = process.env.SEQUENCE_SEED ? [Number(process.env.SEQUENCE_SEED)] : [1];
const rounds = Number(process.env.SEQUENCE_ROUNDS ?? 24);
const kills = Number(process.env.SEQUENCE_KILLS ?? 2);

it.each(seeds)(
  'sends each step once, none after an exit, and skips none under random edits, pauses, faults and kills (seed %i)',
  (seed) => expectEachStepOnce(seed, rounds, kills),
  300_000,
);
