import * as z from 'zod';
import * as apiKeys from '../../shared/data/teams/api-keys.ts';
import { revokeFamily } from '../../shared/data/teams/key-families.ts';
import { ApiError, orNotFound } from '../../shared/domain/errors.ts';
import { mayRevoke } from '../../shared/domain/teams/key-rights.ts';
import { dataOf, endpoint, idParams } from '../../shared/http/endpoint.ts';
import { flag } from '../../shared/http/schemas.ts';

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/api-keys/{key}',
  scope: 'any-key',
  summary: 'Revoke the presented key, one that descends from it, or with every scope any; its record stays',
  params: idParams('key'),
  query: z.object({ cascade: flag.describe('Revoke all keys that descend from it, too (beyond the contract)') }),
  response: dataOf(z.object({ status: z.literal('revoked') })),

  async handle({ caller: { teamId, key: own }, params, query, actor }) {
    const key = orNotFound(await apiKeys.find(teamId, params.key), 'API key');
    if (!mayRevoke(own, key))
      throw new ApiError(403, 'missing_scope', 'To revoke a key that it did not mint, an API key needs every scope.');
    await (query.cascade ? revokeFamily(teamId, key, actor) : apiKeys.revoke(teamId, key, actor));
    return { data: { status: 'revoked' as const } };
  },
});
