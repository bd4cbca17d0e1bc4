import type { WebhookMessage } from '../../shared/aws/queue.ts';
import { deliver } from '../../shared/flows/webhooks/deliver.ts';
import { queueWorker } from '../../shared/workers/batch.ts';

/** Makes the first attempt at each delivery of a batch. */
export const handler = queueWorker<WebhookMessage>({ failure: 'webhook not delivered', handle: deliver });
