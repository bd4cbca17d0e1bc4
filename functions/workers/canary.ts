import { runCanary } from '../../shared/flows/teams/run-canary.ts';
import { task } from '../../shared/workers/task.ts';

/** Every five minutes: sends one message through the API, and measures what became of the one before. */
export const handler = task<object, void>({ failure: 'canary not run', handle: runCanary });
