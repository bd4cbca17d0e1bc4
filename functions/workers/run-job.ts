import type { JobMessage } from '../../shared/aws/queue.ts';
import { runJob } from '../../shared/flows/run-job.ts';
import { queueWorker } from '../../shared/workers/batch.ts';

/** Runs one job, a long one for 20 seconds at a time: other teams' jobs may wait for its place. */
export const handler = queueWorker<JobMessage>({
  failure: 'job not run',
  // Longer than the last step that begins before the deadline.
  marginMs: 40_000,
  handle: runJob,
});
