import type { RetryInput } from '../../shared/aws/workflow.ts';
import { type Next, retry } from '../../shared/flows/webhooks/deliver.ts';

/** The webhook workflow's task: makes the next attempt at a delivery, if it is due. */
export function handler(event: RetryInput): Promise<Next> {
  return retry(event);
}
