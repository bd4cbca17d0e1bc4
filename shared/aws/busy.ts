/** Names of the errors by which AWS says that it is busy, or did not answer in time. */
const busyErrors = new Set(
  `ExecutionLimitExceeded KMSThrottlingException LimitExceededException OverLimit ProvisionedThroughputExceededException
   RequestLimitExceeded RequestThrottled RequestThrottledException ServiceUnavailable ServiceUnavailableException
   Throttling ThrottlingException TimeoutError TooManyRequestsException TransactionConflictException`.split(/\s+/),
);
/** Reasons of a cancelled transaction that say the same. */
const busyReasons = new Set(['ProvisionedThroughputExceeded', 'ThrottlingError', 'TransactionConflict']);

/** Whether an error says that a dependency is busy: the same call may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  const { name, CancellationReasons = [] } = error as Error & { CancellationReasons?: { Code?: string }[] };
  return busyErrors.has(name) || CancellationReasons.some(({ Code }) => busyReasons.has(Code ?? ''));
}
