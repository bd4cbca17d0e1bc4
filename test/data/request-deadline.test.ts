import { expect, it } from 'vitest';
import { atTheEnd, checkDeadline, withinRequest } from '../../shared/data/request-deadline.ts';

it('refuses what begins when the time of a request is up, but not its end, and says how to go on', () => {
  expect(checkDeadline()).toBeUndefined();
  expect(withinRequest(29_000, checkDeadline)).toBeUndefined();
  expect(() => withinRequest(5_000, checkDeadline)).toThrow(
    expect.objectContaining({
      status: 503,
      message: expect.stringContaining('send it again'),
      details: { retryAfterSeconds: 1 },
    }),
  );
  expect(withinRequest(5_000, () => atTheEnd(checkDeadline))).toBeUndefined();
});
