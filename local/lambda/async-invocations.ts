import type { Queues } from '../aws/queues.ts';
import { Problem } from '../problem.ts';
import type { Permissions } from '../template/permissions.ts';
import type { Resource, Resources } from '../template/resource.ts';
import type { Functions, LambdaFunction } from './runtime.ts';

/** Invokes a function as Lambda does for an event whose sender does not wait. */
export type InvokeAsync = (called: LambdaFunction, event: unknown) => Promise<void>;

interface Policy {
  retries: number;
  maxAgeMs: number;
  /** The ARN of the queue for events that failed. */
  failures?: string;
}

/** What Lambda does with a function that has no EventInvokeConfig. */
const usual: Policy = { retries: 2, maxAgeMs: 6 * 3_600_000 };
const minuteMs = 60_000;

/**
 * Tries an event that fails again after one minute and after two more, as often and as long as the function's
 * EventInvokeConfig says; then puts it on the queue of failures, if there is one. What waits is lost with the process.
 * Throws a Problem for a role that does not allow that.
 */
export function asyncInvoker(
  resources: Resources,
  { functions, queues, permissions }: { functions: Functions; queues: Queues; permissions: Permissions },
): InvokeAsync {
  const policies = new Map(
    resources.ofType('AWS::Lambda::EventInvokeConfig').map((config) => {
      const called = functions.find(config.properties.FunctionName)!;
      const policy = policyOf(config);
      if (policy.failures && !permissions.allows(called.roleArn, 'sqs:SendMessage', policy.failures))
        throw new Problem(`The role of ${called.name} does not allow sqs:SendMessage to ${policy.failures}.`);
      return [called, policy];
    }),
  );
  return async (called, event) => {
    const { retries, maxAgeMs, failures } = policies.get(called) ?? usual;
    const sentAt = Date.now();
    const attempt = async (count: number): Promise<void> => {
      const { error } = await called.invoke(event);
      if (!error) return;
      const pauseMs = count * minuteMs;
      if (count <= retries && Date.now() + pauseMs <= sentAt + maxAgeMs)
        setTimeout(() => void attempt(count + 1), pauseMs).unref();
      else if (failures) queues.put(failures, JSON.stringify(failureRecord(called, event, count, error)));
    };
    await attempt(1);
  };
}

function policyOf({ properties }: Resource): Policy {
  const { MaximumRetryAttempts, MaximumEventAgeInSeconds, DestinationConfig } = properties;
  return {
    retries: MaximumRetryAttempts ?? usual.retries,
    maxAgeMs: MaximumEventAgeInSeconds ? MaximumEventAgeInSeconds * 1000 : usual.maxAgeMs,
    failures: DestinationConfig?.OnFailure?.Destination,
  };
}

/** What Lambda sends to a destination. */
function failureRecord(
  called: LambdaFunction,
  requestPayload: unknown,
  count: number,
  responsePayload: unknown,
): object {
  return {
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      functionArn: `${called.arn}:$LATEST`,
      condition: 'RetriesExhausted',
      approximateInvokeCount: count,
    },
    requestPayload,
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload,
  };
}
