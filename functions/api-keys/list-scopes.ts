import * as z from 'zod';
import { scopeDescriptions, scopes } from '../../shared/domain/teams/scopes.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { scope } from '../../shared/http/schemas.ts';

export const listScopes = endpoint({
  method: 'GET',
  path: '/api-keys/scopes',
  scope: 'any-key',
  summary: 'List every scope a key can hold',
  response: dataOf(z.array(z.object({ scope, description: z.string() }))),
  handle: () => ({ data: scopes.map((scope) => ({ scope, description: scopeDescriptions[scope] })) }),
});
