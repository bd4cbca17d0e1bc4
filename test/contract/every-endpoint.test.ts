import { beforeAll, describe, expect, inject, it } from 'vitest';
import { catalogue } from '../../functions/catalogue.ts';
import { generateApiKey } from '../../shared/domain/teams/api-key.ts';
import { holds, type Scope, scopes } from '../../shared/domain/teams/scopes.ts';
import { securityHeaders } from '../../shared/http/headers.ts';
import { fill, makeRecords, routeOf, sampleBody } from '../support/samples.ts';
import { type Answer, call, keyWith, newTeam, type Team } from '../support/team.ts';
import { anyPath, malformedPath } from './any-path.ts';

const endpoints = Object.values(catalogue).flatMap((folder) => Object.values(folder));
const closed = endpoints.filter(({ scope }) => scope !== 'public');
const scoped = closed.filter(({ scope }) => scope !== 'any-key' && scope !== 'every-scope');
const whole = closed.filter(({ scope }) => scope === 'every-scope');
const named = closed.filter(({ params }) => params);
const withBody = closed.filter(({ body }) => body);

let owner: Team;
let stranger: Team;
let records: Awaited<ReturnType<typeof makeRecords>>;

beforeAll(async () => {
  [owner, stranger] = await Promise.all([newTeam(), newTeam()]);
  records = await makeRecords(owner);
});

function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
  expect(answer.body.message).toEqual(expect.any(String));
  expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
  expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
}

describe.each(closed.map((endpoint) => ({ route: routeOf(endpoint), endpoint })))('$route', ({ endpoint }) => {
  it('answers 401 without a key and with an unknown key', async () => {
    const url = `${inject('origin')}/v1${anyPath(endpoint)}`;
    const body = sampleBody(endpoint);
    expectError(await call(url, endpoint.method, body), 401, 'unauthenticated');
    expectError(await call(url, endpoint.method, body, { 'x-api-key': generateApiKey() }), 401, 'unauthenticated');
    expectError(await call(url, endpoint.method, body, { 'x-api-key': 'mw_live_wrong' }), 401, 'unauthenticated');
  });
});

describe.each(scoped.map((endpoint) => ({ route: routeOf(endpoint), endpoint })))('$route', ({ endpoint }) => {
  it('answers 403 to a key with every scope but the required one', async () => {
    const others = scopes.filter((scope) => !holds([scope], endpoint.scope as Scope));
    const limited = await keyWith(owner, others);
    const answer = await limited.api(endpoint.method, anyPath(endpoint), sampleBody(endpoint));
    expectError(answer, 403, 'missing_scope');
  });
});

it.each(whole.map((endpoint) => ({ route: routeOf(endpoint), endpoint })))(
  '$route answers 403 to a key that lacks any scope',
  async ({ endpoint }) => {
    const ask = async (held: readonly string[] | undefined) =>
      (await keyWith(owner, held)).api(endpoint.method, anyPath(endpoint), sampleBody(endpoint));
    for (const lacking of scopes)
      if (!lacking.endsWith(':read'))
        expectError(await ask(scopes.filter((scope) => scope !== lacking)), 403, 'missing_scope');
    for (const held of [scopes, undefined]) expect((await ask(held)).status).toBe(200);
  },
);

describe.each(named.map((endpoint) => ({ route: routeOf(endpoint), endpoint })))('$route', ({ endpoint }) => {
  it("answers 404 to another team's key", async () => {
    const answer = await stranger.api(endpoint.method, fill(endpoint, records), sampleBody(endpoint));
    expectError(answer, 404, 'not_found');
  });

  it('answers 404 to a malformed id', async () => {
    expectError(await owner.api(endpoint.method, malformedPath(endpoint), sampleBody(endpoint)), 404, 'not_found');
  });
});

describe.each(withBody.map((endpoint) => ({ route: routeOf(endpoint), endpoint })))('$route', ({ endpoint }) => {
  it('answers 422 to malformed JSON and to a body that is not an object', async () => {
    const path = fill(endpoint, records);
    expectError(await owner.api(endpoint.method, path, '{"email": '), 422, 'validation_error');
    expectError(await owner.api(endpoint.method, path, '"text"'), 422, 'validation_error');
    expectError(await owner.api(endpoint.method, path, 'null'), 422, 'validation_error');
  });

  it('explains a missing field and a field of the wrong type in plain words', async () => {
    const path = fill(endpoint, records);
    const odd = Object.fromEntries(Object.keys(sampleBody(endpoint) as object).map((name) => [name, { odd: [null] }]));
    for (const body of [{}, odd]) {
      const { status, body: answer } = await owner.api(endpoint.method, path, body);
      if (status === 422 && answer.code === 'validation_error')
        for (const message of Object.values(answer.errors).flat())
          expect(message).not.toMatch(/invalid|undefined|received/i);
    }
  });

  it('answers 413 to a body over 5 MiB', async () => {
    const answer = await owner.api(
      endpoint.method,
      fill(endpoint, records),
      `{"name": "${'x'.repeat(5 * 1024 * 1024)}"}`,
    );
    expectError(answer, 413, 'payload_too_large');
    expect(answer.body.message).toContain('5 MiB');
  });
});

const listings = closed.filter(({ method, query }) => method === 'GET' && query);

describe.each(listings.map((endpoint) => ({ route: routeOf(endpoint), endpoint })))(
  'listing $route',
  ({ endpoint }) => {
    it('answers 422 to a page size outside 1 to 100', async () => {
      for (const size of ['0', '101', '-1', 'many', '1.5'])
        expectError(await owner.api('GET', `${fill(endpoint, records)}?per_page=${size}`), 422, 'validation_error');
    });

    it('answers 422 to a cursor of another team or listing, and to a malformed one', async () => {
      const [first, second] = endpoint.path === '/tags' ? ['/lists', '/lists'] : ['/tags', '/tags'];
      const own = await owner.api('GET', `${first}?per_page=1`);
      const foreign = await stranger.api('GET', `${second}?per_page=1`);
      for (const cursor of [own.body.next_cursor, foreign.body.next_cursor ?? 'none', 'e30', '%00', 'x'.repeat(3000)]) {
        const answer = await owner.api('GET', `${fill(endpoint, records)}?cursor=${cursor}`);
        expectError(answer, 422, 'validation_error');
        expect(Object.keys(answer.body.errors)).toEqual(['cursor']);
      }
    });

    it('answers the envelope of a page', async () => {
      const { status, body } = await owner.api('GET', fill(endpoint, records));
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual(
        ['data', 'has_more', 'next_cursor', 'next_page_url', 'per_page', 'prev_cursor', 'prev_page_url'].sort(),
      );
      expect(body.per_page).toBe(25);
    });
  },
);

it('tells browsers to guess no content type, and to keep to https where that is the address', async () => {
  const origin = inject('origin');
  const { public_url } = await owner.data('POST', '/waitlists', { name: 'Headers' });
  const form = new TextEncoder().encode('email=ann@example.com');
  const answers = await Promise.all([
    owner.api('GET', '/me'),
    owner.api('GET', '/nowhere'),
    call(`${origin}/v1/contacts`),
    call(`${origin}/v1/openapi.json`),
    call(`${origin}/docs`),
    call(`${origin}/unsubscribe/nobody`),
    call(public_url, 'POST', form),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 200, 200, 404, 303]);
  for (const { headers } of answers) {
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.has('strict-transport-security')).toBe(false);
  }
  expect(securityHeaders('https://mail.example')).toEqual({
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000',
  });
});

it('answers 401 on an unknown path without a key, and 404 with one', async () => {
  expectError(await call(`${inject('origin')}/v1/nowhere`), 401, 'unauthenticated');
  expectError(await owner.api('GET', '/nowhere'), 404, 'not_found');
});

it('answers 403 to every request of a plan without API access', async () => {
  const free = await newTeam({ plan: 'free' });
  expectError(await free.api('GET', '/contacts'), 403, 'plan_excludes_api');
  expectError(await free.api('GET', '/nowhere'), 403, 'plan_excludes_api');
});
