import { AsyncLocalStorage } from 'node:async_hooks';
import { promisify } from 'node:util';

const longestNativeDelay = 2 ** 31 - 1;
const exactSteps = 2_000;
const coarseSteps = 100;

type Callback = (...args: unknown[]) => void;
/** The parts of the global object that the stack's clock replaces. */
export interface ClockGlobals {
  Date: DateConstructor;
  setTimeout: unknown;
  clearTimeout: unknown;
  setInterval: unknown;
  clearInterval: unknown;
}

/** The machine's own time and timers, which no advance of the stack's clock moves. */
export const real = {
  now: Date.now.bind(Date),
  setTimeout: globalThis.setTimeout.bind(globalThis),
  setImmediate: globalThis.setImmediate.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
  sleep: (milliseconds: number): Promise<void> => new Promise((done) => real.setTimeout(done, milliseconds)),
};

/** Marks timers started inside `run(owner, …)`, so that `Clock.nextDue(owner)` can tell when they fire. */
export const timerOwner = new AsyncLocalStorage<object | undefined>();

/** One timeout or interval on the stack's clock, with the interface of Node's own timers. */
class StackTimer {
  readonly owner = timerOwner.getStore();
  readonly #resume = AsyncLocalStorage.snapshot();
  readonly #clock: Clock;
  readonly #work: () => void;
  readonly #delay: number;
  readonly repeats: boolean;
  #native: NodeJS.Timeout | undefined;
  #referenced = true;
  due = 0;

  constructor(clock: Clock, work: () => void, delay: number, repeats: boolean) {
    this.#clock = clock;
    this.#work = work;
    this.#delay = Math.max(delay || 0, 1);
    this.repeats = repeats;
    this.refresh();
  }

  /** Runs the callback, whose moment has come, in the context that set the timer. */
  fire(): void {
    if (this.repeats) this.refresh();
    else this.close();
    this.#resume(this.#work);
  }

  refresh(): this {
    this.due = this.#clock.now() + this.#delay;
    this.#clock.timers.add(this);
    this.arm();
    return this;
  }

  /** Sets the native timer behind this one to the time that is left. */
  arm(): void {
    real.clearTimeout(this.#native);
    const left = Math.max(0, this.due - this.#clock.now());
    this.#native = real.setTimeout(
      () => (this.#clock.now() >= this.due ? this.fire() : this.arm()),
      Math.min(left, longestNativeDelay),
    );
    if (!this.#referenced) this.#native.unref();
  }

  close(): this {
    real.clearTimeout(this.#native);
    this.#clock.timers.delete(this);
    return this;
  }

  ref(): this {
    this.#referenced = true;
    this.#native?.ref();
    return this;
  }

  unref(): this {
    this.#referenced = false;
    this.#native?.unref();
    return this;
  }

  hasRef(): boolean {
    return this.#referenced;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The stack's clock: real time plus an offset that `advance` enlarges; `install` puts it under Date, setTimeout and setInterval. */
export class Clock {
  readonly timers = new Set<StackTimer>();
  /** The length in milliseconds of the advance under way; 0 when there is none. */
  advancing = 0;
  #offset: number;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(offset = 0) {
    this.#offset = offset;
  }

  /** Milliseconds by which the stack is ahead of the machine. */
  get offset(): number {
    return this.#offset;
  }

  /** Raises the offset to one that an earlier run had reached; a clock never goes back. */
  restore(offset: number): void {
    this.#offset = Math.max(this.#offset, offset);
  }

  /** Milliseconds since the epoch on this clock. */
  now(): number {
    return real.now() + this.#offset;
  }

  /** When the owner's next timeout fires; undefined when it has none. */
  nextDue(owner: object): number | undefined {
    let next: number | undefined;
    for (const timer of this.timers)
      if (timer.owner === owner && (next === undefined || timer.due < next)) next = timer.due;
    return next;
  }

  /**
   * Moves the clock forward by as many milliseconds, from one timeout to the next; `settle` runs after each step, so that
   * the work a timeout starts happens at its own time. Intervals fire at most once a step; after 2,000 steps the rest goes in 100 equal ones.
   */
  advance(milliseconds: number, settle: () => Promise<void>): Promise<void> {
    const turn = this.#queue.then(() => this.#advance(milliseconds, settle));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #advance(milliseconds: number, settle: () => Promise<void>): Promise<void> {
    const target = this.now() + milliseconds;
    this.advancing = milliseconds;
    try {
      for (let step = 0; this.now() < target; step++) {
        const coarse = step < exactSteps ? 0 : milliseconds / coarseSteps;
        const next = Math.max(this.#nextTimeout() ?? target, this.now() + coarse);
        this.#moveTo(Math.min(next, target));
        if (this.#fireDue()) await settle();
        await new Promise((done) => real.setImmediate(done));
      }
    } finally {
      this.advancing = 0;
      for (const timer of this.timers) timer.arm();
    }
  }

  #nextTimeout(): number | undefined {
    let next: number | undefined;
    for (const timer of this.timers) if (!timer.repeats && (next === undefined || timer.due < next)) next = timer.due;
    return next;
  }

  #moveTo(moment: number): void {
    this.#offset += Math.max(0, moment - this.now());
  }

  #fireDue(): boolean {
    const now = this.now();
    const due = [...this.timers].filter((timer) => timer.due <= now).sort((a, b) => a.due - b.due);
    for (const timer of due) if (this.timers.has(timer)) timer.fire();
    return due.some((timer) => !timer.repeats);
  }

  /** Puts this clock under the Date and the timers of a global object; Node's own internals keep the real ones. */
  install(target: ClockGlobals = globalThis as ClockGlobals): void {
    const setTimer =
      (repeats: boolean) =>
      (callback: Callback, delay?: number, ...args: unknown[]) =>
        new StackTimer(this, () => callback(...args), Number(delay), repeats);
    const clearTimer = (timer: unknown) => {
      if (timer instanceof StackTimer) timer.close();
      else real.clearTimeout(timer as NodeJS.Timeout);
    };
    const setTimeout = setTimer(false);
    Object.assign(setTimeout, {
      [promisify.custom]: (delay?: number, value?: unknown) =>
        new Promise((done) => setTimeout(() => done(value), delay)),
    });
    Object.assign(target, {
      setTimeout,
      setInterval: setTimer(true),
      clearTimeout: clearTimer,
      clearInterval: clearTimer,
    });
    target.Date = this.#date(target.Date);
  }

  #date(RealDate: DateConstructor): DateConstructor {
    const now = () => this.now();
    const StackDate = new Proxy(RealDate, {
      construct: (_, args, newTarget) => Reflect.construct(RealDate, args.length === 0 ? [now()] : args, newTarget),
      apply: () => new RealDate(now()).toString(),
      get: (_, key) => (key === 'now' ? now : Reflect.get(RealDate, key)),
    });
    return StackDate;
  }
}

/** The one clock of this process. */
export const clock = new Clock();
