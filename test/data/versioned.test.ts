import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { changeVersioned } from '../../shared/data/versioned.ts';
import { Unavailable } from '../../shared/domain/errors.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('gives up with a 503 before its function ends where the table is slow', async () => {
  const item = { pk: 'a', sk: 'b', version: 1 };
  let attempts = 0;
  const decide = async () => {
    attempts++;
    vi.advanceTimersByTime(4_000);
    // What was read contradicts itself: it reads again.
    const write = { Put: { Item: item } };
    return { result: 1, after: item, writes: [write, write] };
  };
  const refused = expect(changeVersioned('record', async () => item, decide)).rejects.toThrow(Unavailable);
  await vi.advanceTimersByTimeAsync(120_000);
  await refused;
  expect(attempts).toBe(4);
});
