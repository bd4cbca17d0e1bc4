import * as z from 'zod';
import { planNames, plans } from '../../shared/domain/teams/plans.ts';
import { scopes as allScopes } from '../../shared/domain/teams/scopes.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { id, scope } from '../../shared/http/schemas.ts';

const identity = z
  .object({
    team: z.object({ id, name: z.string(), plan: z.enum(planNames) }),
    api_key: z.object({ id, name: z.string(), scopes: z.array(scope), legacy: z.boolean() }).nullable(),
    rate_limit: z.object({ requests_per_minute: z.int() }),
  })
  .meta({ id: 'Identity' });

export const getMe = endpoint({
  method: 'GET',
  path: '/me',
  scope: 'any-key',
  summary: 'Show the team, the key and its rate limit',
  response: dataOf(identity),

  handle({ caller }) {
    return {
      data: {
        team: { id: caller.teamId, name: caller.teamName, plan: caller.plan },
        api_key: {
          id: caller.key.id,
          name: caller.key.name,
          scopes: [...(caller.scopes ?? allScopes)],
          legacy: caller.scopes === null,
        },
        rate_limit: { requests_per_minute: plans[caller.plan].requestsPerMinute },
      },
    };
  },
});
