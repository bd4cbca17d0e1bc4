import type { RetryInput } from '../../shared/aws/workflow.ts';
import { type Next, retry } from '../../shared/flows/webhooks/deliver.ts';
import { task } from '../../shared/workers/task.ts';

/** The webhook workflow's step: makes the next attempt at a delivery, if it is due. */
export const handler = task<RetryInput, Next>({ failure: 'webhook not retried', handle: retry });
