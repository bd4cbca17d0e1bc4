import { type Next, type RetryInput, retry } from '../../shared/flows/webhooks/retry.ts';
import { task } from '../../shared/workers/task.ts';

/** The webhook workflow's step: makes the attempts at an endpoint that are due; the last may take 15 seconds. */
export const handler = task<RetryInput, Next>({ failure: 'webhook not retried', marginMs: 20_000, handle: retry });
