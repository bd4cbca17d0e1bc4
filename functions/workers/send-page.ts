import { type PageMessage, queuePageLater } from '../../shared/aws/queue.ts';
import { sendPage } from '../../shared/flows/campaigns/send-page.ts';
import { queueWorker } from '../../shared/workers/batch.ts';

/** Sends pages of recipients. */
export const handler = queueWorker<PageMessage>({
  failure: 'page not sent',
  // Few: what is claimed when a worker dies stays unknown until SES reports on it.
  concurrency: 2,
  // Longer than the wait for the send rate, SES's answer with its retries, and the commit: no page is cut off half-way.
  marginMs: 35_000,
  handle: sendPage,
  putBack: (page) => queuePageLater(page, 1),
});
