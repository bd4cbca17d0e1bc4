import { it } from 'vitest';
import { expectMailed, quickActions } from './suppression-table.setup.ts';

it.concurrent.each(quickActions)(
  'after %s, of contacts of every status and suppression, only the active unsuppressed ones are mailed',
  (name) => expectMailed(name),
);
