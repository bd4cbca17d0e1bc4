import * as sequences from '../../shared/data/sequences/sequences.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { sequenceOf, sequenceParams } from './find-sequence.ts';
import { sequence } from './schemas.ts';

export const getSequence = endpoint({
  method: 'GET',
  path: '/sequences/{sequence}',
  scope: 'campaigns:read',
  summary: 'Fetch one sequence',
  params: sequenceParams,
  response: dataOf(sequence),

  async handle({ caller, params }) {
    return { data: sequences.view(await sequenceOf(caller.teamId, params)) };
  },
});
