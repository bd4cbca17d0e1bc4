import * as sequences from '../../shared/data/sequences/sequences.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { sequence, sequenceOf, sequenceParams } from './schemas.ts';

export const getSequence = endpoint({
  method: 'GET',
  path: '/sequences/{sequence}',
  scope: 'campaigns:read',
  summary: 'Fetch one sequence',
  params: sequenceParams,
  response: dataOf(sequence),
  handle: async ({ caller, params }) => ({ data: sequences.view(await sequenceOf(caller.teamId, params)) }),
});
