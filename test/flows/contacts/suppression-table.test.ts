import { it } from 'vitest';
import { expectMailed, quickActions } from './suppression-table.setup.ts';

it.concurrent.each(quickActions)(
  'of every status and suppression, after %s, just who is active and not suppressed is mailed',
  (name) => expectMailed(name),
);
