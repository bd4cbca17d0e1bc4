import type { AwsCall } from './aws-calls.ts';
import type { Answer } from './aws-errors.ts';
import type { LambdaFunction } from './lambda.ts';

/** What was used since metering began: the quantities that AWS charges for. */
export interface UsageReport {
  /** Calls by service and operation, for example `dynamodb:PutItem`. */
  calls: Record<string, number>;
  /** Capacity units of DynamoDB, as it reports them. */
  capacity: { read: number; write: number };
  functions: Record<string, { invocations: number; gigabyte_seconds: number; milliseconds: number }>;
}

/** Counts calls, invocations and, once metering is on, consumed capacity. */
export class Usage {
  #metering = false;
  #report: UsageReport = empty();

  /** Begins anew, now with consumed capacity too. */
  start(): void {
    this.#metering = true;
    this.#report = empty();
  }

  report(): UsageReport {
    return structuredClone(this.#report);
  }

  count({ service, operation }: AwsCall): void {
    const key = `${service}:${operation}`;
    this.#report.calls[key] = (this.#report.calls[key] ?? 0) + 1;
  }

  invoked({ name, memoryMegabytes }: LambdaFunction, milliseconds: number): void {
    this.#report.functions[name] ??= { invocations: 0, gigabyte_seconds: 0, milliseconds: 0 };
    const used = this.#report.functions[name];
    used.invocations++;
    used.milliseconds += milliseconds;
    used.gigabyte_seconds += (Math.ceil(milliseconds) / 1000) * (memoryMegabytes / 1024);
  }

  /** Passes a DynamoDB request on, asking for its consumed capacity while metering is on. */
  async metered(call: AwsCall, body: Buffer, pass: (body: Buffer) => Promise<Answer>): Promise<Answer> {
    if (!this.#metering || !/Item|Query|Scan/.test(call.operation) || body.includes('"ReturnConsumedCapacity"'))
      return pass(body);
    const answer = await pass(Buffer.concat([Buffer.from('{"ReturnConsumedCapacity":"TOTAL",'), body.subarray(1)]));
    const text = answer.body.toString();
    const unit = /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(call.operation) ? 'write' : 'read';
    for (const [reported] of text.matchAll(/"ConsumedCapacity":(?:\[.*?\]|\{.*?\})/g)) {
      for (const [, units] of reported.matchAll(/"CapacityUnits":([\d.]+)/g))
        this.#report.capacity[unit] += Number(units);
    }
    return answer;
  }
}

function empty(): UsageReport {
  return { calls: {}, capacity: { read: 0, write: 0 }, functions: {} };
}
