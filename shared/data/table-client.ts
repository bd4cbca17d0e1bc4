import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { withGivenNames, withStoredNames } from './attribute-names.ts';
import { checkDeadline } from './request-deadline.ts';

/** An item as it is stored. */
// biome-ignore lint/suspicious/noExplicitAny: entities give their items a type of their own
export type Item = Record<string, any>;

let cached: DynamoDBDocumentClient | undefined;

/** The client of the table: five attempts, 2 seconds to connect and 5 for an answer. */
export function client(): DynamoDBDocumentClient {
  if (cached) return cached;
  cached = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 5,
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  // As `unlogged` in shared/aws: the SDK would copy every request and answer for a log that nobody reads.
  cached.middlewareStack.remove('loggerMiddleware');
  cached.middlewareStack.add(
    (next) => async (args) => {
      const outcome = await next({ ...args, input: withStoredNames(args.input) });
      return { ...outcome, output: withGivenNames(outcome.output) };
    },
    { step: 'initialize', name: 'attributeNames' },
  );
  // Within the SDK's own attempts, so that none begins late.
  cached.middlewareStack.add(
    (next) => (args) => {
      checkDeadline();
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'requestDeadline' },
  );
  return cached;
}

/** Waits for a random time before another attempt, longer after each. */
export const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(1_000, 20 * 2 ** attempt)));

const cancellationCodes = (error: unknown): (string | undefined)[] =>
  ((error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? []).map(({ Code }) => Code);

/** The indexes of a cancelled transaction's writes whose conditions failed. */
export function failedWrites(error: unknown): number[] {
  return cancellationCodes(error).flatMap((code, index) => (code === 'ConditionalCheckFailed' ? [index] : []));
}

/** Whether a write was refused by its own condition, alone or in a transaction. */
export function conditionFailed(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'ConditionalCheckFailedException' || failedWrites(error).length > 0;
}

/** Whether the SDK called more than once: an attempt whose answer was lost may have taken effect. */
export function retried(outcome: unknown): boolean {
  return ((outcome as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1) > 1;
}

const transientCodes = ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];

/** Whether a transaction lost to another one at the same moment and may simply run again. */
export function conflicting(error: unknown): boolean {
  const { name } = error as Error;
  if (name === 'TransactionConflictException') return true;
  if (name !== 'TransactionCanceledException' || conditionFailed(error)) return false;
  return cancellationCodes(error).some((code) => code !== undefined && transientCodes.includes(code));
}

/** Whether an earlier call of the same transaction goes on, and may still take effect. */
export const inProgress = (error: unknown): boolean => (error as Error).name === 'TransactionInProgressException';

/** Runs a write again while its error is of a kind, up to 12 times. */
export async function retryWhile<T>(kind: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= 12 || !kind(error)) throw error;
      await pause(attempt);
    }
  }
}
