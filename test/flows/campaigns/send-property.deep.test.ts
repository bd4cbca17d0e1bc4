import { it } from 'vitest';
import { sendsToPartOfTheAudience } from './send-property.setup.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? 5);

it(
  'sends, whatever happens, to a part of the audience, to nobody twice, and has a reason for everybody else',
  () => sendsToPartOfTheAudience(runs),
  900_000,
);
