import * as due from '../../shared/data/due-jobs.ts';
import * as waitlists from '../../shared/data/waitlists/waitlists.ts';
import { purge } from '../../shared/data/waitlists/writes.ts';
import { deleteBy, deletion, endpoint } from '../../shared/http/endpoint.ts';
import { waitlistOf, waitlistParams } from './schemas.ts';

/** Rows that the request deletes itself; a job deletes the rest. */
const inlineRows = 1_000;

export const deleteWaitlist = endpoint({
  method: 'DELETE',
  path: '/waitlists/{waitlist}',
  scope: 'contacts:write',
  summary: 'Delete a waitlist with its signups and its hosted page',
  extension: true,
  params: waitlistParams,
  response: deletion,
  handle: deleteBy('waitlist', waitlistOf, async (teamId, id) => {
    const job = due.dueJob({ kind: 'purge', team_id: teamId, what: 'waitlist', id });
    await waitlists.remove(teamId, id, job);
    if (await purge(teamId, id, inlineRows)) await due.finish(job);
  }),
});
