import * as z from 'zod';
import * as apiKeys from '../../shared/data/teams/api-keys.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { dataOf, endpoint, idParams } from '../../shared/http/endpoint.ts';

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/api-keys/{key}',
  scope: 'any-key',
  summary: 'Revoke a key for good; its record stays',
  params: idParams('key'),
  response: dataOf(z.object({ status: z.literal('revoked') })),

  async handle({ caller, params }) {
    await apiKeys.revoke(orNotFound(await apiKeys.find(caller.teamId, params.key), 'API key'));
    return { data: { status: 'revoked' as const } };
  },
});
