import { handOutJobs } from '../../shared/flows/hand-out-jobs.ts';
import { task } from '../../shared/workers/task.ts';

/** Every minute: hands the jobs that are due to their workers. */
export const handler = task<object, void>({
  failure: 'due jobs not handed out',
  marginMs: 15_000,
  handle: (_event, deadline) => handOutJobs(deadline),
});
