const serverFault = 500;
/** Names of the other errors by which AWS says that it is busy, or did not answer in time. */
const busyErrors = new Set(
  `ExecutionLimitExceeded KMSThrottlingException LimitExceededException OverLimit ProvisionedThroughputExceededException
   RequestLimitExceeded RequestThrottled RequestThrottledException Throttling ThrottlingException TimeoutError
   TooManyRequestsException TransactionConflictException TransactionInProgressException`.split(/\s+/),
);
/** Reasons of a cancelled transaction that say the same. */
const busyReasons = new Set(['ProvisionedThroughputExceeded', 'ThrottlingError', 'TransactionConflict']);

interface AwsError extends Error {
  $metadata?: { httpStatusCode?: number };
  CancellationReasons?: { Code?: string }[];
}

/** Whether an error says that a dependency is busy or has failed: the same call may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  const { name, $metadata, CancellationReasons = [] } = error as AwsError;
  if (busyErrors.has(name) || ($metadata?.httpStatusCode ?? 0) >= serverFault) return true;
  return CancellationReasons.some(({ Code }) => busyReasons.has(Code ?? ''));
}
