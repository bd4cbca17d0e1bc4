import { takeIds } from '../../shared/data/counters.ts';
import * as sequences from '../../shared/data/sequences/sequences.ts';
import { checkTriggers } from '../../shared/flows/sequences/save-sequence.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { sequence, sequenceInput } from './schemas.ts';

export const createSequence = endpoint({
  method: 'POST',
  path: '/sequences',
  scope: 'campaigns:write',
  summary: 'Create a sequence as a draft',
  extension: true,
  body: sequenceInput,
  response: dataOf(sequence),

  async handle({ caller: { teamId }, body, operation }) {
    await checkTriggers(teamId, body);
    const id = await operation.memoize('sequence_id', () => takeIds(teamId, 'sequence'));
    return { data: sequences.view(await sequences.create(teamId, id, body)) };
  },
});
