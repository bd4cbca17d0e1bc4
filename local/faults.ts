import { type Answer, awsError } from './aws/errors.ts';
import { canceled } from './aws/transactions.ts';

const services = ['dynamodb', 'sqs', 'sns', 'ses', 'states', 's3', 'bedrock', 'kms'] as const;
const deliveries = ['duplicate', 'reorder'];
/** The status of a message in SES's answer to a bulk call, such as MESSAGE_REJECTED. */
const bulkStatus = /^[A-Z_]+$/;

/** A failure to inject: always, at a `rate` between 0 and 1, or `count` times. */
export interface Fault {
  service: string;
  /** The SDK's name of the operation, or `*`. */
  operation: string;
  /**
   * An AWS error code; for SES's bulk call also the status of all its messages, such as `MESSAGE_REJECTED`; or one of
   * `timeout`, `slow` (the call takes a second, or so many), `lost_response`, `duplicate`, `reorder`.
   */
  error: string;
  /** How long a slow call takes. */
  seconds?: number;
  /** Only calls whose body contains this, such as a team's keys. */
  containing?: string;
  rate?: number;
  count?: number;
}

/** The active faults. */
export class Faults {
  #active: Fault[] = [];

  /** Adds a fault; returns the reason when it is not valid. */
  add(input: unknown): string | undefined {
    const { service, operation = '*', error, rate, count, containing, seconds } = (input ?? {}) as Partial<Fault>;
    if (!services.includes(service as (typeof services)[number]))
      return `service must be one of ${services.join(', ')}`;
    if (typeof operation !== 'string' || typeof error !== 'string' || !error)
      return 'operation and error must be strings';
    if (deliveries.includes(error) && service !== 'sqs' && service !== 'sns') return `${error} is for sqs and sns`;
    if (containing !== undefined && typeof containing !== 'string') return 'containing must be a string';
    if (rate !== undefined && !(typeof rate === 'number' && rate >= 0 && rate <= 1))
      return 'rate must be between 0 and 1';
    if (count !== undefined && !(Number.isInteger(count) && count > 0)) return 'count must be a positive integer';
    this.#active.push({ service: service as string, operation, error, rate, count, containing, seconds });
    return undefined;
  }

  clear(): void {
    this.#active = [];
  }

  list(): Fault[] {
    return this.#active.map((fault) => ({ ...fault }));
  }

  /** The fault to inject into this call, which counts as one use; undefined when the call must succeed. */
  take(service: string, operation: string, body: Buffer): Fault | undefined {
    for (const fault of this.#active) {
      if (fault.service !== service || (fault.operation !== '*' && fault.operation !== operation)) continue;
      if (fault.containing !== undefined && !body.includes(fault.containing)) continue;
      if (fault.rate !== undefined && Math.random() >= fault.rate) continue;
      if (fault.count !== undefined && --fault.count === 0)
        this.#active = this.#active.filter((other) => other !== fault);
      return fault;
    }
    return undefined;
  }
}

/** The answer of a service that fails with the error code. */
export function faultAnswer(service: string, code: string, body: Buffer): Answer {
  const message = 'Injected through /_local/faults.';
  if (service === 'ses' && bulkStatus.test(code)) return bulkAnswer(code, message, body);
  if (code !== 'TransactionCanceledException') return awsError(service, code, message);
  const items = (JSON.parse(body.toString()) as { TransactItems?: unknown[] }).TransactItems ?? [];
  const reasons = items.map((_, index) =>
    index === 0 ? { Code: 'TransactionConflict', Message: message } : { Code: 'None' },
  );
  return canceled(reasons);
}

/** The answer of SES to a bulk call that gives each message the same status. */
function bulkAnswer(status: string, message: string, body: Buffer): Answer {
  const { BulkEmailEntries = [] } = JSON.parse(body.toString()) as { BulkEmailEntries?: unknown[] };
  const results = BulkEmailEntries.map(() => ({ Status: status, Error: message }));
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: JSON.stringify({ BulkEmailEntryResults: results }) };
}
