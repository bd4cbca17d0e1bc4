import * as segments from '../../shared/data/contacts/segments.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { segment, segmentOf, segmentParams } from './schemas.ts';

export const getSegment = endpoint({
  method: 'GET',
  path: '/segments/{segment}',
  scope: 'contacts:read',
  summary: 'Fetch one segment',
  params: segmentParams,
  response: dataOf(segment),
  handle: async ({ caller, params }) => ({ data: segments.view(await segmentOf(caller.teamId, params)) }),
});
