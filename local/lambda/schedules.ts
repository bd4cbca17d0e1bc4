import { clock } from '../clock.ts';
import { Problem } from '../problem.ts';
import { mayInvoke } from '../template/permissions.ts';
import type { Environment, Resource, Resources, Value } from '../template/resource.ts';
import type { InvokeAsync } from './async-invocations.ts';
import type { Functions, LambdaFunction } from './runtime.ts';
import type { Switches } from './switches.ts';

const maxFiringsPerAdvance = 6;
const minuteMs = 60_000;
const unitMs: Record<string, number> = { minute: minuteMs, hour: 60 * minuteMs, day: 24 * 60 * minuteMs };

/** The scheduled rules of the template. */
export interface Schedules {
  /** Fires the rules that are due after an advance of the clock, and returns to the normal rate. */
  catchUp(): void;
  stop(): void;
}

/** Starts every rule on the stack's clock. Each also fires at once, so that work left by a crash is picked up. */
export function startSchedules(
  resources: Resources,
  environment: Environment,
  { functions, invokeAsync, switches }: { functions: Functions; invokeAsync: InvokeAsync; switches: Switches },
): Schedules {
  const timers = resources.ofType('AWS::Events::Rule').map((rule) => {
    const everyMs = parseRate(rule.properties.ScheduleExpression);
    const targets: LambdaFunction[] = (rule.properties.Targets ?? []).map((target: Value) =>
      targetOf(rule, target, resources, functions),
    );
    return new RuleTimer(everyMs, () => {
      if (switches.isOff(rule.arn)) return;
      for (const target of targets) void invokeAsync(target, scheduledEvent(rule, environment));
    });
  });
  return {
    catchUp() {
      for (const timer of timers) timer.catchUp();
    },
    stop() {
      for (const timer of timers) timer.stop();
    },
  };
}

/** Reads EventBridge's `rate(…)` as milliseconds; throws a Problem for any other schedule. */
export function parseRate(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (!count || !unit) throw new Problem(`The local stack does not understand the schedule ${expression}.`);
  return Number(count) * unitMs[unit]!;
}

function targetOf(rule: Resource, target: Value, resources: Resources, functions: Functions): LambdaFunction {
  const called = functions.find(target.Arn);
  if (!called)
    throw new Problem(
      `The local stack's rules can only invoke functions of the template: see ${rule.id} in ${rule.stack}.`,
    );
  if (!mayInvoke(resources, 'events.amazonaws.com', called))
    throw new Problem(
      `No AWS::Lambda::Permission allows EventBridge to invoke ${called.name}, a target of ${rule.id}.`,
    );
  return called;
}

function scheduledEvent(rule: Resource, { region, accountId }: Environment): unknown {
  return {
    version: '0',
    id: crypto.randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: accountId,
    time: new Date().toISOString().replace(/\.\d+Z/, 'Z'),
    region,
    resources: [rule.arn],
    detail: {},
  };
}

class RuleTimer {
  readonly #everyMs: number;
  readonly #fire: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firedAt = 0;

  constructor(everyMs: number, fire: () => void) {
    this.#everyMs = everyMs;
    this.#fire = fire;
    this.#run();
  }

  catchUp(): void {
    if (Date.now() > this.#firedAt) this.#run();
    else this.#wait();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#firedAt = Date.now();
    this.#fire();
    this.#wait();
  }

  /** While the clock is being advanced, a rule fires at most 6 times. */
  #wait(): void {
    clearTimeout(this.#timer);
    const pause = Math.max(this.#everyMs, clock.advancing / maxFiringsPerAdvance);
    this.#timer = setTimeout(() => this.#run(), this.#firedAt + pause - Date.now());
  }
}
