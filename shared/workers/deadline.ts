import type { Context } from 'aws-lambda';

/** When work must stop, in milliseconds since the epoch: `marginMs` before the function's time is up. */
export const deadlineOf = (context: Context, marginMs: number): number =>
  Date.now() + context.getRemainingTimeInMillis() - marginMs;
