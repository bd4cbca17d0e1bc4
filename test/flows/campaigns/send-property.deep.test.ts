import { it } from 'vitest';
import { mailsNobodyTwice } from './send-property.setup.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? 5);

it(
  'under random faults and actions, mails no recipient twice and has a reason for each unsent one',
  () => mailsNobodyTwice(runs),
  900_000,
);
