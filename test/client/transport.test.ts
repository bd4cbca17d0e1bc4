import { expect, it } from 'vitest';
import { ApiError, ConnectionError, Mailwright, type Retry } from '../../client/src/index.ts';
import { type Answer, answering } from './answering.ts';

const busy: Answer = { status: 503, body: { message: 'Busy.', code: 'unavailable' }, headers: { 'retry-after': '0' } };
const limited: Answer = { status: 429, body: { code: 'rate_limited' }, headers: { 'retry-after': '0' } };
const done: Answer = { status: 200, body: { data: { id: 7, name: 'Done' } } };

const page = (ids: number[], next: string | null): Answer => ({
  status: 200,
  body: { data: ids.map((id) => ({ id })), next_cursor: next, has_more: next !== null },
});

const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

it('retries a write under one Idempotency-Key until it gets a response', async () => {
  await using server = await answering('hangUp', busy, limited, done);
  const retries: Retry[] = [];
  const client = new Mailwright({ ...server, apiKey: 'k', onRetry: (retry) => retries.push(retry) });
  expect(await client.lists.create({ name: 'One' })).toEqual({ id: 7, name: 'Done' });
  const keys = server.received.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(server.received.map(({ body }) => body))).toEqual(new Set(['{"name":"One"}']));
  expect(retries.map(({ attempt, error }) => [attempt, error.name])).toEqual([
    [1, 'ConnectionError'],
    [2, 'ApiError'],
    [3, 'ApiError'],
  ]);
});

it('gives every write a new or the given Idempotency-Key, and reads none', async () => {
  await using server = await answering(done);
  const client = new Mailwright({ ...server, apiKey: 'k' });
  await client.lists.create({ name: 'One' });
  await client.lists.create({ name: 'One' });
  await client.campaigns.send(3, { idempotencyKey: 'launch-3' });
  await client.lists.get(1);
  const [first, second, third, fourth] = server.received.map(({ headers }) => headers['idempotency-key']);
  expect(first).not.toBe(second);
  expect(third).toBe('launch-3');
  expect(fourth).toBeUndefined();
});

it('waits as long as Retry-After says, and throws at once when that is too long', async () => {
  const later: Answer = { ...limited, headers: { 'retry-after': '1' } };
  await using server = await answering(later, done);
  const waits: number[] = [];
  const client = new Mailwright({ ...server, apiKey: 'k', onRetry: ({ waitMs }) => waits.push(waitMs) });
  await client.me.get();
  expect(waits[0]).toBeGreaterThanOrEqual(1_000);

  await using other = await answering({ ...limited, headers: { 'retry-after': '60' } });
  const hasty = new Mailwright({ ...other, apiKey: 'k', maxRetryAfter: 59 });
  expect(await thrown(hasty.me.get())).toMatchObject({ status: 429, retryAfter: 60 });
  expect(other.received).toHaveLength(1);
});

it('retries while the request with its key is still executing, and retries no other refusal', async () => {
  const executing = { status: 409, body: { code: 'idempotency_in_progress' }, headers: { 'retry-after': '0' } };
  await using server = await answering(executing, done);
  await new Mailwright({ ...server, apiKey: 'k' }).lists.create({ name: 'One' });
  expect(server.received).toHaveLength(2);
  for (const status of [400, 401, 403, 404, 409, 413, 422]) {
    await using refusing = await answering({ status, body: { message: 'No.', code: 'not_applicable' } });
    expect(await thrown(new Mailwright({ ...refusing, apiKey: 'k' }).me.get())).toMatchObject({ status });
    expect(refusing.received).toHaveLength(1);
  }
});

it('throws the last error after the allowed number of attempts', async () => {
  await using server = await answering(busy);
  const client = new Mailwright({ ...server, apiKey: 'k', maxRetries: 2 });
  expect(await thrown(client.me.get())).toMatchObject({ name: 'ApiError', status: 503, code: 'unavailable' });
  expect(server.received).toHaveLength(3);
  await thrown(client.me.get({ maxRetries: 0 }));
  expect(server.received).toHaveLength(4);
});

it('throws an ApiError with the fields of the response', async () => {
  const body = {
    message: 'The request is not valid.',
    code: 'validation_error',
    errors: { 'contacts.3.email': ['must be an email address'] },
    request_id: 'r-1',
  };
  await using server = await answering({ status: 422, body });
  const error = (await thrown(new Mailwright({ ...server, apiKey: 'k' }).lists.create({ name: '' }))) as ApiError;
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ message: body.message, code: body.code, errors: body.errors, requestId: 'r-1' });
  expect(error.blockers).toEqual([]);

  const headers = { 'x-request-id': 'r-2' };
  await using blocking = await answering({
    status: 422,
    body: { message: 'Blocked.', code: 'send_blocked', blockers: ['content_missing'] },
    headers,
  });
  const blocked = await thrown(new Mailwright({ ...blocking, apiKey: 'k' }).campaigns.send(1));
  expect(blocked).toMatchObject({ blockers: ['content_missing'], requestId: 'r-2' });
});

it('distinguishes a response of another server from a refusal', async () => {
  await using missing = await answering({ status: 404, body: '<h1>Not found</h1>' });
  const error = await thrown(new Mailwright({ ...missing, apiKey: 'k' }).me.get());
  expect(error).toMatchObject({ status: 404, code: 'unreadable' });
  await using page = await answering({ status: 200, body: '<h1>Welcome</h1>' });
  const odd = await thrown(new Mailwright({ ...page, apiKey: 'k', maxRetries: 0 }).me.get());
  expect(odd).toBeInstanceOf(ConnectionError);
});

it('reports why there is no connection', async () => {
  const closed = await answering(done);
  await closed[Symbol.asyncDispose]();
  const client = new Mailwright({ ...closed, apiKey: 'k', maxRetries: 0 });
  expect(String(await thrown(client.me.get()))).toMatch(/^ConnectionError: GET http\S+\/v1\/me: .*ECONNREFUSED/);
});

it('times out an attempt that takes too long', async () => {
  await using server = await answering('silent');
  const client = new Mailwright({ ...server, apiKey: 'k', timeoutMs: 50, maxRetries: 1 });
  const error = (await thrown(client.me.get())) as Error;
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toContain('no answer within 50 ms');
  expect(server.received).toHaveLength(2);
});

it('ends at once when aborted before an attempt, during it, or while waiting', async () => {
  const reason = new Error('enough');
  await using server = await answering('silent');
  const client = new Mailwright({ ...server, apiKey: 'k' });
  expect(await thrown(client.me.get({ signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(server.received).toHaveLength(0);
  const during = new AbortController();
  const call = thrown(client.me.get({ signal: during.signal }));
  await expect.poll(() => server.received.length).toBe(1);
  during.abort(reason);
  expect(await call).toBe(reason);

  await using waiting = await answering({ ...busy, headers: { 'retry-after': '100' } });
  const between = new AbortController();
  const patient = new Mailwright({ ...waiting, apiKey: 'k', onRetry: () => between.abort(reason) });
  expect(await thrown(patient.me.get({ signal: between.signal }))).toBe(reason);
});

it('reads all pages lazily with the given filters, empty pages too', async () => {
  await using server = await answering(page([1, 2], 'b'), page([], 'c'), page([3], null));
  const client = new Mailwright({ ...server, apiKey: 'k' });
  const listing = client.contacts.list({ status: 'active', include: ['tags', 'lists'] });
  expect(server.received).toHaveLength(0);
  const ids: number[] = [];
  for await (const { id } of listing) ids.push(id);
  expect(ids).toEqual([1, 2, 3]);
  const urls = server.received.map(({ url }) => Object.fromEntries(new URL(url, 'http://x').searchParams));
  const filters = { status: 'active', include: 'tags,lists', per_page: '100' };
  expect(urls).toEqual([filters, { ...filters, cursor: 'b' }, { ...filters, cursor: 'c' }]);
});

it('reads one page, and stops reading when the loop ends', async () => {
  await using server = await answering(page([1, 2], 'b'));
  const client = new Mailwright({ ...server, apiKey: 'k' });
  const { data, next_cursor } = await client.tags.list({ per_page: 2, cursor: 'a' }).page();
  expect([data.length, next_cursor]).toEqual([2, 'b']);
  expect(server.received[0]!.url).toBe('/v1/tags?per_page=2&cursor=a');
  for await (const tag of client.tags.list()) if (tag.id === 2) break;
  expect(server.received).toHaveLength(2);
});

it('encodes values in paths, and refuses values that would change the path', async () => {
  await using server = await answering(done);
  const client = new Mailwright({ baseUrl: server.baseUrl.replace('/v1', '//'), apiKey: 'k' });
  await client.contacts.get('a+b/c?d@example.com');
  expect(server.received[0]!.url).toBe('/v1/contacts/a%2Bb%2Fc%3Fd%40example.com');
  expect(server.received[0]!.headers.authorization).toBe('Bearer k');
  for (const nothing of ['', '.', '..']) expect(() => client.contacts.delete(nothing)).toThrow('names no record');
});

it('checks requests and responses at compile time', async () => {
  await using server = await answering(done);
  const client = new Mailwright({ ...server, apiKey: 'k' });
  // @ts-expect-error a heading has a text, not an html
  const wrong = client.templates.create({ name: 'x', blocks_json: [{ type: 'heading', data: { html: 'x' } }] });
  // @ts-expect-error there is no such status
  client.contacts.list({ status: 'gone' });
  const { status } = await client.campaigns.get(1);
  // @ts-expect-error there is no such status
  expect(status === 'gone').toBe(false);
  await wrong;
});
