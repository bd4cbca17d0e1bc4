import { expect, it } from 'vitest';
import { parseRate } from '../../local/lambda/schedules.ts';

it.each([
  ['rate(1 minute)', 60_000],
  ['rate(5 minutes)', 300_000],
  ['rate(2 hours)', 7_200_000],
  ['rate(1 day)', 86_400_000],
])('reads %s as %d milliseconds', (expression, milliseconds) => {
  expect(parseRate(expression)).toBe(milliseconds);
});

it.each(['rate(0.5 days)', 'cron(0 10 * * ? *)', 'at(2026-11-20T10:00:00)'])(
  'refuses %s, and names it',
  (expression) => {
    expect(() => parseRate(expression)).toThrow(expression);
  },
);
