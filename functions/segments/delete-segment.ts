import * as segments from '../../shared/data/contacts/segments.ts';
import { deletion, endpoint } from '../../shared/http/endpoint.ts';
import { segmentOf, segmentParams } from './schemas.ts';

export const deleteSegment = endpoint({
  method: 'DELETE',
  path: '/segments/{segment}',
  scope: 'contacts:write',
  summary: 'Delete a segment, not its contacts',
  params: segmentParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    // Memoized, so that the request can run again after a crash, when the segment is already deleted.
    const id = await operation.memoize('segment', async () => (await segmentOf(teamId, params)).id);
    await segments.remove(teamId, id);
    return { data: { id, deleted: true } };
  },
});
