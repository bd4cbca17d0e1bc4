import { it } from 'vitest';
import { deepActions, expectMailed } from './suppression-table.setup.ts';

it.concurrent.each(deepActions)(
  'after %s, of contacts of every status and suppression, only the active unsuppressed ones are mailed',
  (name) => expectMailed(name),
);
