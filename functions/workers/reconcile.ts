import { runDueJobs } from '../../shared/flows/run-due-jobs.ts';
import { task } from '../../shared/workers/task.ts';

/** Every minute: runs the jobs that are due. */
export const handler = task<object, void>({
  failure: 'due jobs not run',
  marginMs: 15_000,
  handle: (_event, deadline) => runDueJobs(deadline),
});
