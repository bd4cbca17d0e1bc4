import type { AwsCall } from './aws/calls.ts';
import type { Answer } from './aws/errors.ts';
import type { LambdaFunction } from './lambda/runtime.ts';

/** Calls by service and operation (such as `dynamodb:PutItem`), and the DynamoDB units that they consumed. */
export interface Calls {
  calls: Record<string, number>;
  capacity: { read: number; write: number };
}

/** The quantities that AWS charges for since metering started, in total and by function. */
export interface UsageReport extends Calls {
  functions: Record<string, Calls & { invocations: number; gigabyte_seconds: number; milliseconds: number }>;
  /** State transitions of Step Functions. */
  transitions: number;
}

/** Lambda's pollers receive or delete so many messages with one request. */
const messagesPerRequest = 10;

/** Counts calls, invocations and, once metering is on, consumed capacity. */
export class Usage {
  readonly #nameOf: (caller: string) => string | undefined;
  readonly #transitions: () => number;
  #metering = false;
  #transitionsBefore = 0;
  #report: UsageReport = { ...noCalls(), functions: {}, transitions: 0 };

  /** `nameOf` returns the name of the calling function, `transitions` the state transitions so far. */
  constructor(nameOf: (caller: string) => string | undefined, transitions: () => number) {
    this.#nameOf = nameOf;
    this.#transitions = transitions;
  }

  /** Resets the counts and starts metering consumed capacity. */
  start(): void {
    this.#metering = true;
    this.#transitionsBefore = this.#transitions();
    this.#report = { ...noCalls(), functions: {}, transitions: 0 };
  }

  /** Stops metering, which costs time, and returns the counts. */
  stop(): UsageReport {
    this.#metering = false;
    return this.report();
  }

  report(): UsageReport {
    return structuredClone({ ...this.#report, transitions: this.#transitions() - this.#transitionsBefore });
  }

  count({ service, operation, caller }: AwsCall): void {
    this.#add(`${service}:${operation}`, 1, this.#nameOf(caller));
  }

  /** Counts the requests of Lambda's pollers for a batch of messages. */
  polled({ name }: LambdaFunction, messages: number): void {
    const requests = Math.ceil(messages / messagesPerRequest);
    this.#add('sqs:ReceiveMessage', requests, name);
    this.#add('sqs:DeleteMessageBatch', requests, name);
  }

  invoked({ name, memoryMegabytes }: LambdaFunction, milliseconds: number): void {
    const used = this.#of(name);
    used.invocations++;
    used.milliseconds += milliseconds;
    used.gigabyte_seconds += (Math.ceil(milliseconds) / 1000) * (memoryMegabytes / 1024);
  }

  /** Forwards a DynamoDB request, and asks for its consumed capacity while metering is on. */
  async metered(call: AwsCall, body: Buffer, forward: (body: Buffer) => Promise<Answer>): Promise<Answer> {
    if (!this.#metering || !/Item|Query|Scan/.test(call.operation) || body.includes('"ReturnConsumedCapacity"'))
      return forward(body);
    const answer = await forward(Buffer.concat([Buffer.from('{"ReturnConsumedCapacity":"TOTAL",'), body.subarray(1)]));
    const unit = /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(call.operation) ? 'write' : 'read';
    const units = answer.status === 200 ? reportedUnits(answer) : refusedUnits(answer, body);
    const caller = this.#nameOf(call.caller);
    for (const { capacity } of [this.#report, ...(caller ? [this.#of(caller)] : [])]) capacity[unit] += units;
    return answer;
  }

  #of(name: string): UsageReport['functions'][string] {
    this.#report.functions[name] ??= { ...noCalls(), invocations: 0, gigabyte_seconds: 0, milliseconds: 0 };
    return this.#report.functions[name];
  }

  #add(operation: string, times: number, caller: string | undefined): void {
    for (const { calls } of [this.#report, ...(caller ? [this.#of(caller)] : [])])
      calls[operation] = (calls[operation] ?? 0) + times;
  }
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
