import type { Context } from 'aws-lambda';
import { logFailure } from '../aws/log.ts';
import { deadlineOf } from './deadline.ts';

/** How a step of a workflow, a scheduled function or an operator's command is run. */
export interface Task<I, R> {
  /** What the log says when it fails: `campaign not advanced`. */
  failure: string;
  /** Work stops this long before the function's time is up, in milliseconds. @default 0 */
  marginMs?: number;
  handle(input: I, deadline: number, requestId: string): Promise<R>;
}

/** A Lambda handler for one piece of work; a failure is logged with the ids of its input, and thrown for a retry. */
export function task<I extends object, R>({ failure, marginMs = 0, handle }: Task<I, R>) {
  return async (input: I, context: Context): Promise<R> => {
    try {
      return await handle(input, deadlineOf(context, marginMs), context.awsRequestId);
    } catch (error) {
      const { awsRequestId } = context;
      logFailure(failure, error, { ...input, request_id: awsRequestId });
      throw new LoggedError(error, `${failure}: see its log for the request ${awsRequestId}`);
    }
  };
}

/** Replaces a logged error: Lambda logs what is thrown, and must not log a stack twice or a message with an address. */
class LoggedError extends Error {
  constructor(error: unknown, message: string) {
    super(message);
    this.name = error instanceof Error ? error.name : 'Error';
    this.stack = `${this.name}: ${message}`;
  }
}
