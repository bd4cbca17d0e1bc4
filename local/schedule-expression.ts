import { Problem } from './problem.ts';

/** When a rule fires: every so many milliseconds, or at the next moment that a cron expression names. */
export type Schedule = { every: number } | { next(after: number): number | undefined };

const minute = 60_000;
const units: Record<string, number> = { minute, hour: 60 * minute, day: 24 * 60 * minute };
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Parses EventBridge's `rate(…)` and `cron(…)`, in UTC; throws a Problem for anything else. */
export function parseSchedule(expression: string): Schedule {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (rate) return { every: Number(rate[1]) * (units[rate[2] as string] as number) };
  const cron = /^cron\((\S+) (\S+) (\S+) (\S+) (\S+) (\S+)\)$/.exec(expression);
  if (!cron) throw new Problem(`The local stack does not understand the schedule ${expression}.`);
  return parseCron(expression, cron.slice(1) as string[]);
}

function parseCron(expression: string, fields: string[]): Schedule {
  const [minutes, hours, days, monthsOfYear, daysOfWeek, years] = fields as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const field = (text: string, from: number, to: number, names: string[] = [], firstName = 0) => {
    const values = parseField(text, from, to, names, firstName);
    if (!values) throw new Problem(`The local stack does not understand "${text}" in the schedule ${expression}.`);
    return values;
  };
  const inMinutes = field(minutes, 0, 59);
  const inHours = field(hours, 0, 23);
  const lastDay = days === 'L';
  const inDays = lastDay ? undefined : field(days, 1, 31);
  const inMonths = field(monthsOfYear, 1, 12, months, 1);
  const inWeekdays = field(daysOfWeek, 1, 7, weekdays, 1);
  const inYears = field(years, 1970, 2199);

  const dayMatches = (day: Date) => {
    const isLast = new Date(day.getTime() + units.day!).getUTCDate() === 1;
    return (
      inYears.has(day.getUTCFullYear()) &&
      inMonths.has(day.getUTCMonth() + 1) &&
      (inDays ? inDays.has(day.getUTCDate()) : isLast) &&
      inWeekdays.has(day.getUTCDay() + 1)
    );
  };
  return {
    next(after) {
      const day = new Date(after);
      day.setUTCHours(0, 0, 0, 0);
      for (let searched = 0; searched < 366 * 5; searched++, day.setUTCDate(day.getUTCDate() + 1)) {
        if (!dayMatches(day)) continue;
        for (const hour of inHours) {
          for (const past of inMinutes) {
            const moment = day.getTime() + hour * units.hour! + past * minute;
            if (moment > after) return moment;
          }
        }
      }
      return undefined;
    },
  };
}

/** The values of one cron field in ascending order; undefined when it cannot be read. */
function parseField(
  text: string,
  from: number,
  to: number,
  names: string[],
  firstName: number,
): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', stepText] = part.split('/');
    const everything = range === '*' || range === '?';
    const [first, last] = everything ? [from, to] : range.split('-').map((name) => numberOf(name, names, firstName));
    const step = stepText === undefined ? 1 : Number(stepText);
    const end = last ?? (stepText === undefined ? first : to);
    if (first === undefined || end === undefined || !(first >= from && end <= to && first <= end && step >= 1))
      return undefined;
    for (let value = first; value <= end; value += step) values.add(value);
  }
  return new Set([...values].sort((a, b) => a - b));
}

function numberOf(name: string, names: string[], firstName: number): number {
  const index = names.indexOf(name.toUpperCase());
  return index >= 0 ? index + firstName : /^\d+$/.test(name) ? Number(name) : Number.NaN;
}
