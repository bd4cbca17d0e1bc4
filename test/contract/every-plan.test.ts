import { beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../functions/catalogue.ts';
import { routeOf, sampleBody } from '../support/samples.ts';
import { newTeam, type Team } from '../support/team.ts';
import { anyPath } from './any-path.ts';

const closed = Object.values(catalogue)
  .flatMap((folder) => Object.values(folder))
  .filter(({ scope }) => scope !== 'public')
  .map((endpoint) => ({ route: routeOf(endpoint), endpoint }));

describe.each(['free', 'starter'])('the plan %s, without API access,', (plan) => {
  let team: Team;
  beforeAll(async () => {
    team = await newTeam({ plan });
  });

  it.each(closed)('is refused $route', async ({ endpoint }) => {
    const { status, headers, body } = await team.api(endpoint.method, anyPath(endpoint), sampleBody(endpoint));
    expect([status, body.code]).toEqual([403, 'plan_excludes_api']);
    expect(body.message).toContain(plan);
    expect(headers.get('x-ratelimit-limit')).toBe('60');
  });
});

it.each([
  { plan: 'business', perMinute: 600, emails: 1_000_000, tweaks: 1_000, tokens: 5_000_000 },
  { plan: 'enterprise', perMinute: 6_000, emails: null, tweaks: null, tokens: 50_000_000 },
])('the plan $plan has its rate and its allowances', async ({ plan, perMinute, emails, tweaks, tokens }) => {
  const team = await newTeam({ plan });
  const { headers, body } = await team.api('GET', '/me');
  expect(body.data.team).toEqual({ id: team.id, name: 'Test', plan });
  expect(body.data.rate_limit).toEqual({ requests_per_minute: perMinute });
  expect(headers.get('x-ratelimit-limit')).toBe(String(perMinute));
  const unused = (limit: number | null) => ({ used: 0, limit, remaining: limit });
  expect(await team.data('GET', '/ai/usage')).toMatchObject({
    ai_tweaks: unused(tweaks),
    subject_tests: unused(null),
    emails: unused(emails),
    ai_tokens: unused(tokens),
  });
});
