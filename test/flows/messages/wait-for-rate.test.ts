import { expect, it } from 'vitest';
import { acquireRate, patienceMs } from '../../../shared/flows/messages/wait-for-rate.ts';
import { useSharedTable } from '../../support/data.ts';

useSharedTable();

it('keeps a reservation whose moment is now or later', async () => {
  const now = Date.now();
  const [recent, far] = [now - patienceMs / 2, now + 60_000];
  expect(await acquireRate('campaign', 1, recent)).toEqual({ at: recent });
  const { at, delaySeconds } = (await acquireRate('campaign', 1, far)) as { at?: number; delaySeconds: number };
  expect(at).toBe(far);
  expect(delaySeconds).toBeGreaterThan(50);
});

it('reserves anew what the queue delivers too late', async () => {
  const late = Date.now() - patienceMs - 1;
  const { at } = await acquireRate('campaign', 1, late);
  // A rate that nobody uses may be reserved from a second ago on.
  expect(at).toBeGreaterThan(late + patienceMs - 1_001);
});
