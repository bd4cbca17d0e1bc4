import { AsyncLocalStorage } from 'node:async_hooks';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Clock, type ClockGlobals, real, timerOwner } from '../../local/clock.ts';

const day = 86_400_000;
const settle = async () => {};

function install(clock: Clock): typeof globalThis {
  const globals = { Date, setTimeout, clearTimeout, setInterval, clearInterval };
  clock.install(globals as ClockGlobals);
  return globals as unknown as typeof globalThis;
}

it('shows real time plus the advances, however a Date is read', async () => {
  const clock = new Clock();
  const { Date: StackDate } = install(clock);
  await clock.advance(30 * day, settle);
  const expected = real.now() + 30 * day;
  for (const shown of [StackDate.now(), new StackDate().getTime(), Number(new StackDate()), clock.now()]) {
    expect(Math.abs(shown - expected)).toBeLessThan(1_000);
  }
  expect(new StackDate(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
  expect(new StackDate()).toBeInstanceOf(Date);
  expect(StackDate.UTC(2026, 0)).toBe(Date.UTC(2026, 0));
  expect(StackDate()).toContain(String(new Date(expected).getFullYear()));
});

it('fires timeouts in order, each at its time, with the work of one before the next', async () => {
  const clock = new Clock();
  const { setTimeout, Date: StackDate } = install(clock);
  const start = StackDate.now();
  const seen: [string, number][] = [];
  const record = (name: string) => seen.push([name, Math.round((StackDate.now() - start) / 1000)]);
  setTimeout(() => record('second'), 120_000);
  setTimeout(() => {
    record('first');
    setTimeout(() => record('started by the first'), 30_000);
  }, 60_000);
  await clock.advance(200_000, settle);
  expect(seen).toEqual([
    ['first', 60],
    ['started by the first', 90],
    ['second', 120],
  ]);
});

it('moves only by advances while it is frozen, and never back', async () => {
  const clock = new Clock();
  const { setTimeout, Date: StackDate } = install(clock);
  clock.frozen = true;
  const [start, fired] = [clock.now(), [] as number[]];
  setTimeout(() => fired.push(StackDate.now() - start), 20);
  await real.sleep(50);
  expect([clock.now() - start, fired]).toEqual([0, []]);
  await clock.advance(30, settle);
  expect([clock.now() - start, fired]).toEqual([30, [20]]);
  clock.frozen = false;
  expect(clock.now() - start).toBeGreaterThanOrEqual(50);
});

it('waits for the work of a step before the next step', async () => {
  const clock = new Clock();
  const { setTimeout, Date: StackDate } = install(clock);
  const start = StackDate.now();
  let running = 0;
  const pauses: number[] = [];
  const attempt = async () => {
    running++;
    await real.sleep(5);
    pauses.push(Math.round((StackDate.now() - start) / 60_000));
    running--;
    if (pauses.length < 3) setTimeout(attempt, 600_000);
  };
  setTimeout(attempt, 600_000);
  await clock.advance(day, async () => {
    while (running > 0) await real.sleep(1);
  });
  expect(pauses).toEqual([10, 20, 30]);
});

it('supports timeouts longer than native ones, and finishes an advance over a million intervals', async () => {
  const clock = new Clock();
  const { setTimeout, setInterval, clearInterval } = install(clock);
  let fired = 0;
  let intervals = 0;
  setTimeout(() => fired++, 31 * day);
  const interval = setInterval(() => intervals++, 20);
  await real.sleep(50);
  expect(fired).toBe(0);
  await clock.advance(30 * day, settle);
  expect(fired).toBe(0);
  await clock.advance(2 * day, settle);
  expect(fired).toBe(1);
  expect(intervals).toBeGreaterThan(0);
  clearInterval(interval);
  expect(clock.timers.size).toBe(0);
});

it('fires on real time too, keeps the asynchronous context, and supports promises and refresh', async () => {
  const clock = new Clock();
  const { setTimeout, clearTimeout } = install(clock);
  const context = new AsyncLocalStorage<string>();
  let seen: string | undefined;
  context.run('original', () => setTimeout(() => (seen = context.getStore()), 10));
  expect(await (promisify(setTimeout) as (delay: number, value: string) => Promise<string>)(20, 'value')).toBe('value');
  expect(seen).toBe('original');
  context.run('advanced', () => setTimeout(() => (seen = context.getStore()), day));
  await clock.advance(2 * day, settle);
  expect(seen).toBe('advanced');
  const cancelled = setTimeout(() => (seen = 'cancelled'), 5);
  expect(cancelled.unref().hasRef()).toBe(false);
  clearTimeout(cancelled.refresh());
  await real.sleep(15);
  expect(seen).toBe('advanced');
});

it('knows when the next timeout of an owner fires', () => {
  const clock = new Clock();
  const { setTimeout, clearTimeout } = install(clock);
  const owner = {};
  expect(clock.nextDue(owner)).toBeUndefined();
  const timer = timerOwner.run(owner, () => setTimeout(() => {}, day));
  setTimeout(() => {}, 1_000).unref();
  expect(Math.round((clock.nextDue(owner)! - clock.now()) / 1000)).toBe(86_400);
  clearTimeout(timer);
});

it('never goes back to an earlier offset', () => {
  const clock = new Clock();
  clock.restore(1_000);
  clock.restore(500);
  expect(clock.offset).toBe(1_000);
  clock.restore(5_000);
  expect(clock.offset).toBe(5_000);
});
