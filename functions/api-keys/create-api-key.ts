import * as z from 'zod';
import { takeIds } from '../../shared/data/counters.ts';
import { sealedAnswers } from '../../shared/data/sealed-answers.ts';
import * as apiKeys from '../../shared/data/teams/api-keys.ts';
import { mint } from '../../shared/data/teams/key-families.ts';
import { ApiError, NotApplicable } from '../../shared/domain/errors.ts';
import { generateApiKey } from '../../shared/domain/teams/api-key.ts';
import { maxActiveKeys } from '../../shared/domain/teams/key-rights.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { scope, singleLine, timestampInput } from '../../shared/http/schemas.ts';
import { checkGrant } from './check-grant.ts';
import { apiKey, ranges } from './schemas.ts';

export const createApiKey = endpoint({
  method: 'POST',
  path: '/api-keys',
  scope: 'any-key',
  summary: 'Make an API key with no more rights than the presented one; its secret is shown only here',
  body: z
    .object({
      name: singleLine(100),
      scopes: z
        .array(scope)
        .max(100, 'at most 100 scopes')
        .transform((names) => [...new Set(names)])
        .optional(),
      expires_at: timestampInput.nullish(),
      allowed_ips: ranges.nullish().describe('Where it may be used from; anywhere unless given'),
    })
    .meta({ id: 'ApiKeyInput' }),
  response: dataOf(apiKey.extend({ key: z.string() }).meta({ id: 'NewApiKey' })),
  sealing: sealedAnswers,

  async handle({ caller, body, operation, actor }) {
    const grant = checkGrant(caller.key, body, operation.startedAt);
    const { teamId } = caller;
    const memoized = await operation.memoize('api_key', async () => {
      const id = await takeIds(teamId, 'api_key');
      return { id, secret: await sealedAnswers.seal(teamId, `api_key ${id}`, generateApiKey()) };
    });
    const { id } = memoized;
    const secret = await sealedAnswers.open(teamId, `api_key ${id}`, memoized.secret);
    const team = { team_name: caller.teamName, plan: caller.plan };
    const made = await mint(teamId, caller.key, actor, { id, secret, ...team, name: body.name, ...grant });
    if (made === 'revoked') throw new ApiError(401, 'unauthenticated', 'The API key is revoked.');
    if (made === 'full')
      throw new NotApplicable(`A team has at most ${maxActiveKeys} active API keys: revoke one that is not needed.`);
    return { data: { ...apiKeys.view(made), key: secret } };
  },
});
