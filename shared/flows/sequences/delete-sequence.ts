import * as due from '../../data/due-jobs.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import { purge } from '../../data/sequences/subscribers.ts';

/** Rows that the request of a deletion cleans up itself; the reconciler does the rest. */
const inlineRows = 1_000;

/** Deletes a sequence, with which it ends for everybody, and cleans up after it as far as one request reaches. */
export async function deleteSequence(teamId: number, id: number): Promise<void> {
  const reminder = due.dueJob({ kind: 'purge', team_id: teamId, what: 'sequence', id });
  await sequences.remove(teamId, id, reminder);
  if (await purge(teamId, id, inlineRows)) await due.finish(reminder);
}
