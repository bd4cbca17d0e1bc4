import * as due from '../../shared/data/due-jobs.ts';
import { purge } from '../../shared/data/sequences/removal.ts';
import * as sequences from '../../shared/data/sequences/sequences.ts';
import { deleteBy, deletion, endpoint } from '../../shared/http/endpoint.ts';
import { sequenceOf, sequenceParams } from './schemas.ts';

/** Rows that the request deletes itself; a job deletes the rest. */
const inlineRows = 1_000;

export const deleteSequence = endpoint({
  method: 'DELETE',
  path: '/sequences/{sequence}',
  scope: 'campaigns:write',
  summary: 'Delete a sequence; it ends for everybody in it',
  extension: true,
  params: sequenceParams,
  response: deletion,
  handle: deleteBy('sequence', sequenceOf, async (teamId, id) => {
    const job = due.dueJob({ kind: 'purge', team_id: teamId, what: 'sequence', id });
    await sequences.remove(teamId, id, job);
    if (await purge(teamId, id, inlineRows)) await due.finish(job);
  }),
});
