import * as segments from '../../shared/data/contacts/segments.ts';
import { deleteBy, deletion, endpoint } from '../../shared/http/endpoint.ts';
import { segmentOf, segmentParams } from './schemas.ts';

export const deleteSegment = endpoint({
  method: 'DELETE',
  path: '/segments/{segment}',
  scope: 'contacts:write',
  summary: 'Delete a segment, not its contacts',
  params: segmentParams,
  response: deletion,
  handle: deleteBy('segment', segmentOf, segments.remove),
});
