import * as z from 'zod';
import { takeIds } from '../../shared/data/counters.ts';
import * as apiKeys from '../../shared/data/teams/api-keys.ts';
import { ApiError, ValidationError } from '../../shared/domain/errors.ts';
import { generateApiKey } from '../../shared/domain/teams/api-key.ts';
import { scopes as allScopes, holds } from '../../shared/domain/teams/scopes.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { scope, singleLine, timestampInput } from '../../shared/http/schemas.ts';
import { apiKey, apiKeyView } from './schemas.ts';

export const createApiKey = endpoint({
  method: 'POST',
  path: '/api-keys',
  scope: 'any-key',
  summary: 'Make an API key with no more scopes than the presented one; its secret is shown only here',
  body: z
    .object({
      name: singleLine(100),
      scopes: z
        .array(scope)
        .transform((names) => [...new Set(names)])
        .optional(),
      expires_at: timestampInput.nullish(),
    })
    .meta({ id: 'ApiKeyInput' }),
  response: dataOf(apiKey.extend({ key: z.string() }).meta({ id: 'NewApiKey' })),

  async handle({ caller, body, operation }) {
    const scopes = body.scopes ?? [...(caller.scopes ?? allScopes)];
    const lacking = scopes.filter((scope) => !holds(caller.scopes, scope));
    if (lacking.length > 0)
      throw new ApiError(403, 'missing_scope', `The API key lacks what it would give away: ${lacking.join(', ')}.`);
    const expires_at = body.expires_at ?? undefined;
    if (expires_at && Date.parse(expires_at) <= operation.startedAt.getTime())
      throw new ValidationError({ expires_at: ['must be in the future'] });
    const { id, secret } = await operation.memoize('api_key', async () => ({
      id: await takeIds(caller.teamId, 'api_key'),
      secret: generateApiKey(),
    }));
    const team = { team_name: caller.teamName, plan: caller.plan };
    const item = await apiKeys.create(caller.teamId, { id, secret, ...team, name: body.name, scopes, expires_at });
    return { data: { ...apiKeyView(item), key: secret } };
  },
});
