import { clock } from './clock.ts';
import type { Functions } from './lambda.ts';
import { mayInvoke } from './permissions.ts';
import { Problem } from './problem.ts';
import { parseSchedule, type Schedule } from './schedule-expression.ts';
import type { Resource, Resources, Surroundings, Value } from './template.ts';

const mostFiringsPerAdvance = 12;

/** The rules of the template that fire at set times. */
export interface Schedules {
  /** Fires what is due at the end of an advance of the clock, and goes on at the usual pace. */
  catchUp(): void;
  stop(): void;
}

/** Starts every scheduled rule on the stack's clock; a rate rule also fires at once, so that work left by a crash is picked up. */
export function startSchedules(resources: Resources, functions: Functions, surroundings: Surroundings): Schedules {
  const timers = resources.ofType('AWS::Events::Rule').flatMap((rule) => {
    if (!rule.properties.ScheduleExpression) {
      throw new Problem(
        `The local stack runs rules with a schedule only: ${rule.id} in ${rule.stack} has an event pattern.`,
      );
    }
    if (rule.properties.State === 'DISABLED') return [];
    const schedule = parseSchedule(rule.properties.ScheduleExpression);
    const targets = (rule.properties.Targets ?? []).map((target: Value) =>
      targetOf(rule, target, resources, functions, surroundings),
    );
    return [
      new RuleTimer(schedule, () => {
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
  readonly #schedule: Schedule;
  readonly #fire: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: number;

  constructor(schedule: Schedule, fire: () => void) {
    this.#schedule = schedule;
    this.#fire = fire;
    this.#last = Date.now();
    if ('every' in schedule) this.#run();
    else this.#wait();
  }

  catchUp(): void {
    const late =
      'every' in this.#schedule
        ? Date.now() > this.#last
        : (this.#schedule.next(this.#last) ?? Number.POSITIVE_INFINITY) <= Date.now();
    if (late) this.#run();
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
    const pause = clock.advancing / mostFiringsPerAdvance;
    const next =
      'every' in this.#schedule
        ? this.#last + Math.max(this.#schedule.every, pause)
        : this.#schedule.next(this.#last + Math.max(0, pause - 1));
    if (next !== undefined) this.#timer = setTimeout(() => this.#run(), next - Date.now());
  }
}
