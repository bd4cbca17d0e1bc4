import type { AlarmDefinition, Datapoint } from '../infra/alarms/evaluator.ts';
import { loggedMetrics } from '../infra/alarms/logged-metrics.ts';
import type { Stack } from '../support/stack.ts';
import { control } from '../support/team.ts';

const minuteSeconds = 60;

/** What CloudWatch would have measured on a local stack, whose clock moves by the minute. */
export class Observed {
  readonly stack: Stack;
  /** The stack's data folder. */
  readonly folder: string;
  readonly #alarms: readonly AlarmDefinition[];
  /** Metrics of AWS's own, derived from what the stack did. */
  readonly #derived: Datapoint[] = [];
  #errors = new Map<string, number>();

  constructor(stack: Stack, folder: string, alarms: readonly AlarmDefinition[]) {
    this.stack = stack;
    this.folder = folder;
    this.#alarms = alarms;
  }

  /** Every datapoint so far: AWS's own, and those of the embedded metric lines in the functions' logs. */
  datapoints(): Datapoint[] {
    return [...this.#derived, ...loggedMetrics(this.folder)];
  }

  /** The stack's time, in milliseconds since the epoch. */
  async now(): Promise<number> {
    return Date.parse((await this.control('GET', '/clock')).now);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
  async control(method: string, path: string, body?: unknown): Promise<any> {
    return (await control(method, path, body, this.stack.origin)).body;
  }

  /** Notes a value of the metric of AWS that an alarm watches. */
  async note(alarm: string, value: number): Promise<void> {
    const watched = this.#alarms.find(({ name }) => name === alarm);
    if (!watched) throw new Error(`there is no alarm ${alarm}`);
    const { namespace, metric, dimensions } = watched;
    this.#derived.push({ namespace, metric, dimensions, at: await this.now(), value });
  }

  /** Lets so many minutes of the stack's time pass, and measures queues and functions in each. */
  async pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      await this.control('POST', '/clock', { advance_seconds: minuteSeconds });
      await this.measure();
    }
  }

  async measure(): Promise<void> {
    const at = await this.now();
    const { data: queues } = await this.control('GET', '/queues');
    for (const { name, visible, oldest_seconds } of queues) {
      const ofQueue = { namespace: 'AWS/SQS', dimensions: { QueueName: name }, at };
      this.#derived.push({ ...ofQueue, metric: 'ApproximateNumberOfMessagesVisible', value: visible });
      this.#derived.push({ ...ofQueue, metric: 'ApproximateAgeOfOldestMessage', value: oldest_seconds });
    }
    const { functions } = await this.control('GET', '/usage');
    for (const [FunctionName, { errors }] of Object.entries<{ errors: number }>(functions)) {
      const value = errors - (this.#errors.get(FunctionName) ?? 0);
      this.#derived.push({ namespace: 'AWS/Lambda', metric: 'Errors', dimensions: { FunctionName }, at, value });
      this.#errors.set(FunctionName, errors);
    }
  }
}
