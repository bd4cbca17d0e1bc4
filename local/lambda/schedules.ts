import { clock } from '../clock.ts';
import { Problem } from '../problem.ts';
import { mayInvoke } from '../template/permissions.ts';
import type { Resource, Resources, Surroundings, Value } from '../template/resource.ts';
import type { Functions } from './runtime.ts';

const maxFiringsPerAdvance = 12;
const minuteMs = 60_000;
const unitMs: Record<string, number> = { minute: minuteMs, hour: 60 * minuteMs, day: 24 * 60 * minuteMs };

/** The rules of the template that fire at set times. */
export interface Schedules {
  /** Fires what is due at the end of an advance of the clock, and goes on at the usual pace. */
  catchUp(): void;
  stop(): void;
}

/** Starts every scheduled rule on the stack's clock; each fires at once, too, so that work left by a crash is picked up. */
export function startSchedules(resources: Resources, functions: Functions, surroundings: Surroundings): Schedules {
  const timers = resources.ofType('AWS::Events::Rule').flatMap((rule) => {
    if (!rule.properties.ScheduleExpression) {
      throw new Problem(
        `The local stack runs rules with a schedule only: ${rule.id} in ${rule.stack} has an event pattern.`,
      );
    }
    if (rule.properties.State === 'DISABLED') return [];
    const everyMs = parseRate(rule.properties.ScheduleExpression);
    const targets = (rule.properties.Targets ?? []).map((target: Value) =>
      targetOf(rule, target, resources, functions, surroundings),
    );
    return [
      new RuleTimer(everyMs, () => {
        for (const fire of targets) fire();
      }),
    ];
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

function targetOf(
  rule: Resource,
  target: Value,
  resources: Resources,
  functions: Functions,
  surroundings: Surroundings,
): () => void {
  const called = functions.find(target.Arn);
  if (!called)
    throw new Problem(
      `The local stack's rules invoke functions of the template only: see ${rule.id} in ${rule.stack}.`,
    );
  if (!mayInvoke(resources, 'events.amazonaws.com', called))
    throw new Problem(`No AWS::Lambda::Permission lets EventBridge invoke ${called.name}, a target of ${rule.id}.`);
  return () => {
    const event = target.Input ? JSON.parse(target.Input) : scheduledEvent(rule, surroundings);
    void called.invoke(event);
  };
}

function scheduledEvent(rule: Resource, { region, accountId }: Surroundings): unknown {
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
  #last = 0;

  constructor(everyMs: number, fire: () => void) {
    this.#everyMs = everyMs;
    this.#fire = fire;
    this.#run();
  }

  catchUp(): void {
    if (Date.now() > this.#last) this.#run();
    else this.#wait();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#last = Date.now();
    this.#fire();
    this.#wait();
  }

  /** While the clock is being advanced, a rule fires at most 12 times. */
  #wait(): void {
    clearTimeout(this.#timer);
    const pause = Math.max(this.#everyMs, clock.advancing / maxFiringsPerAdvance);
    this.#timer = setTimeout(() => this.#run(), this.#last + pause - Date.now());
  }
}
