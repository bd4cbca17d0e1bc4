import * as due from '../../data/due-jobs.ts';
import * as waitlists from '../../data/waitlists/waitlists.ts';
import { purge } from '../../data/waitlists/writes.ts';

/** Rows that the request of a deletion cleans up itself; the reconciler does the rest. */
const inlineRows = 1_000;

/** Deletes a waitlist and cleans up after it as far as one request reaches. */
export async function deleteWaitlist(teamId: number, id: number): Promise<void> {
  const reminder = due.dueJob({ kind: 'purge', team_id: teamId, what: 'waitlist', id });
  await waitlists.remove(teamId, id, reminder);
  if (await purge(teamId, id, inlineRows)) await due.finish(reminder);
}
