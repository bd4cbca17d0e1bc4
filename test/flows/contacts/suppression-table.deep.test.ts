import { it } from 'vitest';
import { deepActions, expectMailed } from './suppression-table.setup.ts';

it.concurrent.each(deepActions)(
  'of every status and suppression, after %s, just who is active and not suppressed is mailed',
  (name) => expectMailed(name),
);
