import { beforeAll, describe, expect, inject, it } from 'vitest';
import { catalogue, pages } from '../../functions/catalogue.ts';
import { type Answer, call, newTeam, type Team } from '../support/team.ts';
import { anyPath } from './any-path.ts';

const endpoints = Object.values(catalogue).flatMap((folder) => Object.values(folder));
const paths = [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, [first, ...others]]) => ({
  path,
  url: anyPath(first!, 999_999),
  methods: [first!, ...others].map(({ method }) => method),
}));
const pagePaths = [...Map.groupBy(pages, ({ path }) => path)].map(([path, routes]) => ({
  path,
  url: path.replaceAll(/\{\w+\}/g, 'x'),
  methods: routes.map(({ method }) => method),
}));

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

const allowed = (methods: readonly string[]) => (methods.includes('GET') ? [...methods, 'HEAD'] : methods);
const others = (methods: readonly string[]) =>
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((method) => !allowed(methods).includes(method));
const listed = ({ headers }: { headers: Headers }) => headers.get('allow')?.split(', ').sort();

describe.each(paths)('$path', ({ url, methods }) => {
  it('answers 405 to each other method, with those that it has', async () => {
    for (const method of others(methods)) {
      const answer = await team.api(method, url);
      expect([method, answer.status, listed(answer)]).toEqual([method, 405, [...allowed(methods)].sort()]);
      if (method !== 'HEAD') expect(answer.body.code).toBe('method_not_allowed');
    }
  });

  it('names the query parameters that it ignores', async () => {
    for (const method of methods) {
      const { headers } = await team.api(method, `${url}?stauts=1&a%20b%0D=2`);
      expect(headers.get('x-unknown-parameters')?.split(', ')).toEqual(expect.arrayContaining(['stauts', 'a%20b%0D']));
    }
  });
});

describe.each(paths.filter(({ methods }) => methods.includes('GET')))('$path', ({ url }) => {
  it('answers HEAD as GET, without a body', async () => {
    const [got, head] = [await team.api('GET', url), await team.api('HEAD', url)];
    const typeOf = ({ headers }: Answer) => headers.get('content-type');
    expect([head.status, typeOf(head), head.body]).toEqual([got.status, typeOf(got), '']);
  });
});

describe.each(pagePaths)('$path', ({ url, methods }) => {
  it('answers 405 to each other method, with those that it has', async () => {
    for (const method of others(methods)) {
      const answer = await call(`${inject('origin')}${url}`, method);
      expect([method, answer.status, listed(answer)]).toEqual([method, 405, [...allowed(methods)].sort()]);
    }
  });
});

it('answers 401 without a key before it says which methods a path has', async () => {
  const { status, headers } = await call(`${inject('origin')}/v1/contacts`, 'PUT');
  expect([status, headers.get('allow')]).toEqual([401, null]);
});

it('names no parameter that it knows', async () => {
  const { headers } = await team.api('GET', '/contacts?per_page=1&status=active');
  expect(headers.get('x-unknown-parameters')).toBeNull();
});
