import { AsyncLocalStorage } from 'node:async_hooks';
import { promisify } from 'node:util';

const maxNativeDelay = 2 ** 31 - 1;
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

/** The machine's time and timers, which an advance of the stack's clock does not change. */
export const real = {
  now: Date.now.bind(Date),
  setTimeout: globalThis.setTimeout.bind(globalThis),
  setImmediate: globalThis.setImmediate.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
  sleep: (milliseconds: number): Promise<void> => new Promise((done) => real.setTimeout(done, milliseconds)),
};

/** Marks timers started inside `run(owner, …)` for `Clock.nextDue(owner)`. */
export const timerOwner = new AsyncLocalStorage<object | undefined>();

/** A timeout or interval on the stack's clock, with the interface of Node's timers. */
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

  /** Runs the callback in the asynchronous context that set the timer. */
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

  /** Sets the native timer to the remaining time. */
  arm(): void {
    real.clearTimeout(this.#native);
    const left = Math.max(0, this.due - this.#clock.now());
    this.#native = real.setTimeout(
      () => (this.#clock.now() >= this.due ? this.fire() : this.arm()),
      Math.min(left, maxNativeDelay),
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
}

/** The stack's clock: real time plus an offset that `advance` raises. `install` replaces Date and timers with it. */
export class Clock {
  readonly timers = new Set<StackTimer>();
  /** Milliseconds of the advance that is running; 0 when none is. */
  advancing = 0;
  /** Milliseconds by which the stack is ahead of the machine. */
  offset = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #frozenAt: number | undefined;

  /** Whether time passes by `advance` alone, so that work takes none. The end makes up for what passed meanwhile. */
  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  set frozen(frozen: boolean) {
    this.#frozenAt = frozen ? (this.#frozenAt ?? real.now()) : undefined;
    for (const timer of this.timers) timer.arm();
  }

  /** Raises the offset to that of an earlier run; a clock never goes back. */
  restore(offset: number): void {
    this.offset = Math.max(this.offset, offset);
  }

  /** Milliseconds since the epoch on this clock. */
  now(): number {
    return (this.#frozenAt ?? real.now()) + this.offset;
  }

  /** When the owner's next timeout fires; undefined when it has none. */
  nextDue(owner: object): number | undefined {
    return this.#earliest((timer) => timer.owner === owner);
  }

  /**
   * Moves the clock forward, from one timeout to the next. `settle` runs after each step, so that the work of a timeout
   * happens at its time. Intervals fire at most once a step. After 2,000 steps, 100 equal steps cover the rest.
   */
  advance(milliseconds: number, settle: () => Promise<void>): Promise<void> {
    const advanced = this.#queue.then(() => this.#advance(milliseconds, settle));
    this.#queue = advanced.catch(() => {});
    return advanced;
  }

  async #advance(milliseconds: number, settle: () => Promise<void>): Promise<void> {
    const target = this.now() + milliseconds;
    this.advancing = milliseconds;
    try {
      for (let step = 0; this.now() < target; step++) {
        const coarse = step < exactSteps ? 0 : milliseconds / coarseSteps;
        const next = Math.max(this.#earliest(({ repeats }) => !repeats) ?? target, this.now() + coarse);
        this.offset += Math.max(0, Math.min(next, target) - this.now());
        if (this.#fireDue()) await settle();
        await new Promise((done) => real.setImmediate(done));
      }
    } finally {
      this.advancing = 0;
      for (const timer of this.timers) timer.arm();
    }
  }

  #earliest(counts: (timer: StackTimer) => boolean): number | undefined {
    let next: number | undefined;
    for (const timer of this.timers) if (counts(timer) && (next === undefined || timer.due < next)) next = timer.due;
    return next;
  }

  #fireDue(): boolean {
    const now = this.now();
    const due = [...this.timers].filter((timer) => timer.due <= now).sort((a, b) => a.due - b.due);
    for (const timer of due) if (this.timers.has(timer)) timer.fire();
    return due.some((timer) => !timer.repeats);
  }

  /** Replaces Date and timers of a global object with this clock; Node's internals keep the real ones. */
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
    return new Proxy(RealDate, {
      construct: (_, args, newTarget) => Reflect.construct(RealDate, args.length === 0 ? [now()] : args, newTarget),
      apply: () => new RealDate(now()).toString(),
      get: (_, key) => (key === 'now' ? now : Reflect.get(RealDate, key)),
    });
  }
}

/** The clock of this process. */
export const clock = new Clock();
