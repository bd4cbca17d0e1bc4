import type { AwsCall } from './aws/calls.ts';
import type { Answer } from './aws/errors.ts';
import { KeyMeter, type KeyUsage } from './key-meter.ts';
import type { LambdaFunction } from './lambda/runtime.ts';
import type { Resource } from './template/resource.ts';

/** Calls by service and operation (such as `dynamodb:PutItem`), and the DynamoDB units that they consumed. */
export interface Calls {
  calls: Record<string, number>;
  capacity: { read: number; write: number };
}

/** The quantities that AWS charges for since metering started, in total and by function. */
export interface UsageReport extends Calls {
  functions: Record<string, FunctionUsage>;
  /** State transitions of Step Functions. */
  transitions: number;
  /** The most written partition keys, when they were asked for. */
  keys?: KeyUsage[];
}

interface FunctionUsage extends Calls {
  invocations: number;
  /** Invocations that failed as a whole. */
  errors: number;
  gigabyte_seconds: number;
  milliseconds: number;
  /** Queue messages that it received. */
  messages: number;
}

/** Forwards a DynamoDB request to the engine, as another operation where one is named. */
type Forward = (body: Buffer, operation?: string) => Promise<Answer>;

/** Lambda's pollers receive or delete so many messages with one request. */
const messagesPerRequest = 10;

/** Counts calls, invocations and, once metering is on, consumed capacity. */
export class Usage {
  readonly #nameOf: (caller: string) => string | undefined;
  readonly #transitions: () => number;
  readonly #tables: readonly Resource[];
  #metering = false;
  #keys: KeyMeter | undefined;
  #transitionsBefore = 0;
  #report: UsageReport = { ...noCalls(), functions: {}, transitions: 0 };

  /** `nameOf` returns the name of the calling function, `transitions` the state transitions so far. */
  constructor(
    nameOf: (caller: string) => string | undefined,
    transitions: () => number,
    tables: readonly Resource[] = [],
  ) {
    this.#nameOf = nameOf;
    this.#tables = tables;
    this.#transitions = transitions;
  }

  /** Resets the counts and starts metering consumed capacity, by partition key too if asked, which is slow. */
  start({ keys = false } = {}): void {
    this.#metering = true;
    this.#keys = keys ? new KeyMeter(this.#tables) : undefined;
    this.#transitionsBefore = this.#transitions();
    this.#report = { ...noCalls(), functions: {}, transitions: 0 };
  }

  /** Stops metering, which costs time, and returns the counts. */
  stop(): UsageReport {
    const report = this.report();
    this.#metering = false;
    this.#keys = undefined;
    return report;
  }

  report(): UsageReport {
    const transitions = this.#transitions() - this.#transitionsBefore;
    return structuredClone({ ...this.#report, transitions, keys: this.#keys?.report() });
  }

  count({ service, operation, caller }: AwsCall): void {
    this.#add(`${service}:${operation}`, 1, this.#nameOf(caller));
  }

  /** Counts the requests of Lambda's pollers for a batch of messages. */
  polled({ name }: LambdaFunction, messages: number): void {
    const requests = Math.ceil(messages / messagesPerRequest);
    this.#of(name).messages += messages;
    this.#add('sqs:ReceiveMessage', requests, name);
    this.#add('sqs:DeleteMessageBatch', requests, name);
  }

  invoked({ name, memoryMegabytes }: LambdaFunction, milliseconds: number, failed = false): void {
    const used = this.#of(name);
    used.invocations++;
    if (failed) used.errors++;
    used.milliseconds += milliseconds;
    used.gigabyte_seconds += (Math.ceil(milliseconds) / 1000) * (memoryMegabytes / 1024);
  }

  /** Forwards a DynamoDB request, and asks for its consumed capacity while metering is on. */
  async metered(call: AwsCall, body: Buffer, forward: Forward): Promise<Answer> {
    const { operation } = call;
    if (!this.#metering || !/Item|Query|Scan/.test(operation) || body.includes('"ReturnConsumedCapacity"'))
      return forward(body);
    const unit = /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(operation) ? 'write' : 'read';
    const run = () => forward(Buffer.concat([Buffer.from('{"ReturnConsumedCapacity":"TOTAL",'), body.subarray(1)]));
    const write = { operation, body, caller: this.#nameOf(call.caller) ?? '' };
    const answer = await (this.#keys && unit === 'write' ? this.#keys.meter(write, forwardJson(forward), run) : run());
    const units = answer.status === 200 ? reportedUnits(answer) : refusedUnits(answer, body);
    const caller = this.#nameOf(call.caller);
    for (const { capacity } of [this.#report, ...(caller ? [this.#of(caller)] : [])]) capacity[unit] += units;
    return answer;
  }

  #of(name: string): UsageReport['functions'][string] {
    this.#report.functions[name] ??= {
      ...noCalls(),
      invocations: 0,
      errors: 0,
      gigabyte_seconds: 0,
      milliseconds: 0,
      messages: 0,
    };
    return this.#report.functions[name];
  }

  #add(operation: string, times: number, caller: string | undefined): void {
    for (const { calls } of [this.#report, ...(caller ? [this.#of(caller)] : [])])
      calls[operation] = (calls[operation] ?? 0) + times;
  }
}

/** Sends other requests than the one that is metered. */
function forwardJson(forward: Forward) {
  return async (operation: string, request: object) =>
    JSON.parse(String((await forward(Buffer.from(JSON.stringify(request)), operation)).body));
}

function noCalls(): Calls {
  return { calls: {}, capacity: { read: 0, write: 0 } };
}

function reportedUnits({ body }: Answer): number {
  let units = 0;
  for (const [reported] of body.toString().matchAll(/"ConsumedCapacity":(?:\[.*?\]|\{.*?\})/g))
    for (const [, consumed] of reported.matchAll(/"CapacityUnits":([\d.]+)/g)) units += Number(consumed);
  return units;
}

/** DynamoDB charges a write whose condition fails but does not report it: one unit, or two per transaction item. */
function refusedUnits({ body }: Answer, request: Buffer): number {
  if (!body.includes('ConditionalCheckFailed')) return 0;
  const { TransactItems } = JSON.parse(request.toString()) as { TransactItems?: unknown[] };
  return TransactItems ? 2 * TransactItems.length : 1;
}
