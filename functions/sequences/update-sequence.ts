import * as sequences from '../../shared/data/sequences/sequences.ts';
import { updateSequence as update } from '../../shared/flows/sequences/save-sequence.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { sequence, sequenceParams, sequencePatch } from './schemas.ts';

export const updateSequence = endpoint({
  method: 'PATCH',
  path: '/sequences/{sequence}',
  scope: 'campaigns:write',
  sendsWhen: 'to activate it, and to change the sender or the trigger of an active one',
  summary: 'Change a sequence, or its `status`: activate it once it has all it needs, pause it, resume it',
  extension: true,
  params: sequenceParams,
  body: sequencePatch,
  response: dataOf(sequence),
  handle: async ({ caller, params, body }) => ({
    data: sequences.view(await update(caller, params.sequence, body)),
  }),
});
