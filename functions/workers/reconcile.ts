import type { Context } from 'aws-lambda';
import { runDueJobs } from '../../shared/flows/run-due-jobs.ts';

/** Every minute: puts back what has stalled. */
export async function handler(_event: unknown, context: Context): Promise<void> {
  await runDueJobs(Date.now() + context.getRemainingTimeInMillis() - 15_000);
}
