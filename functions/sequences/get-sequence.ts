import * as sequences from '../../shared/data/sequences/sequences.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf } from '../../shared/http/schemas.ts';
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
