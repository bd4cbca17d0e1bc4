import { expect, it } from 'vitest';
import { Unavailable } from '../../../shared/domain/errors.ts';
import { retryConflicts } from '../../../shared/flows/campaigns/edit.ts';

it('an edit that loses to other requests is tried again, and refused with 503 after the fifth attempt', async () => {
  let attempts = 0;
  const succeedsAt = (last: number) => {
    attempts = 0;
    return retryConflicts(async () => (++attempts === last ? 'written' : undefined));
  };
  expect([await succeedsAt(1), attempts]).toEqual(['written', 1]);
  expect([await succeedsAt(5), attempts]).toEqual(['written', 5]);
  await expect(succeedsAt(6)).rejects.toThrow(Unavailable);
  expect(attempts).toBe(5);
});
