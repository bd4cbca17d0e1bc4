import { deleteSequence as remove } from '../../shared/flows/sequences/delete-sequence.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { deletion } from '../../shared/http/schemas.ts';
import { sequenceOf, sequenceParams } from './find-sequence.ts';

export const deleteSequence = endpoint({
  method: 'DELETE',
  path: '/sequences/{sequence}',
  scope: 'campaigns:write',
  summary: 'Delete a sequence; it ends for everybody in it',
  extension: true,
  params: sequenceParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    const id = await operation.memoize('sequence', async () => (await sequenceOf(teamId, params)).id);
    await remove(teamId, id);
    return { data: { id, deleted: true } };
  },
});
