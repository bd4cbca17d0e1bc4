import { expect, it } from 'vitest';
import { parseSchedule } from '../../local/schedule-expression.ts';

function firings(expression: string, after: string, count = 3): string[] {
  const schedule = parseSchedule(expression);
  if (!('next' in schedule)) throw new Error('not a cron expression');
  const moments: string[] = [];
  for (let at = Date.parse(after); moments.length < count; ) {
    const next = schedule.next(at);
    if (next === undefined) break;
    moments.push(new Date(next).toISOString().slice(0, 16));
    at = next;
  }
  return moments;
}

it.each([
  ['rate(1 minute)', 60_000],
  ['rate(5 minutes)', 300_000],
  ['rate(2 hours)', 7_200_000],
  ['rate(1 day)', 86_400_000],
])('reads %s as %d milliseconds', (expression, every) => {
  expect(parseSchedule(expression)).toEqual({ every });
});

it.each([
  ['cron(0 10 * * ? *)', '2026-11-20T10:00:00Z', ['2026-11-21T10:00', '2026-11-22T10:00', '2026-11-23T10:00']],
  [
    'cron(0/20 8-9 ? * MON-FRI *)',
    '2026-11-20T08:40:00Z',
    ['2026-11-20T09:00', '2026-11-20T09:20', '2026-11-20T09:40'],
  ],
  ['cron(15 12 ? * SUN,3 *)', '2026-11-20T00:00:00Z', ['2026-11-22T12:15', '2026-11-24T12:15', '2026-11-29T12:15']],
  ['cron(0 0 L * ? *)', '2026-01-31T00:00:00Z', ['2026-02-28T00:00', '2026-03-31T00:00', '2026-04-30T00:00']],
  ['cron(30 6 1 JAN,JUL ? 2027)', '2026-11-20T00:00:00Z', ['2027-01-01T06:30', '2027-07-01T06:30']],
])('fires %s in UTC', (expression, after, expected) => {
  expect(firings(expression, after)).toEqual(expected);
});

it.each([
  'rate(0.5 days)',
  'cron(0 10 * * ?)',
  'cron(61 10 * * ? *)',
  'cron(0 10 15W * ? *)',
  'at(2026-11-20T10:00:00)',
])('refuses %s by name', (expression) => {
  expect(() => parseSchedule(expression)).toThrow(expression);
});
