import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ended, readyCampaign } from '../support/campaign.ts';
import { document } from '../support/document.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type RawTable, rawTable } from '../support/table.ts';
import { type Answer, call, control, keyWith, newTeam, type Team } from '../support/team.ts';

const data = mkdtempSync(join(tmpdir(), 'mailwright-errors-'));
let stack: Stack;
let table: RawTable;
let team: Team;

beforeAll(async () => {
  // A stack of its own: the tests inject faults and write its table directly.
  stack = await startStack({ data });
  table = await rawTable(data);
  team = await newTeam({ origin: stack.origin, plan: 'business' });
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

const minuteMs = 60_000;
const now = async () => Date.parse((await control('GET', '/clock', undefined, stack.origin)).body.now);
const message = (more: object = {}) => ({
  to: 'ann@example.com',
  from_email: `hello@${team.domain}`,
  subject: 'Hello',
  html: '<p>Hello</p>',
  ...more,
});
const send = (more: object = {}, of = team) => of.api('POST', '/send', message(more));
const under = async (error: string, operation: string, request: () => Promise<Answer>) => {
  await control('POST', '/faults', { service: 'dynamodb', operation, error }, stack.origin);
  return request();
};

/** Every code of the contract's error table with its status and a request that gets it. */
const errors: Record<string, [status: number, request: () => Promise<Answer>]> = {
  unauthenticated: [401, () => call(`${stack.origin}/v1/contacts`)],
  plan_excludes_api: [
    403,
    async () => (await newTeam({ origin: stack.origin, plan: 'starter' })).api('GET', '/contacts'),
  ],
  missing_scope: [
    403,
    async () => (await keyWith(team, ['contacts:read'], stack.origin)).api('POST', '/lists', { name: 'List' }),
  ],
  not_found: [404, () => team.api('GET', '/lists/999999')],
  method_not_allowed: [405, () => team.api('PUT', '/lists')],
  idempotency_in_progress: [
    409,
    async () => {
      // The first of two waits: the rate for single messages is reserved for the next seconds.
      await table.write([{ pk: 'PLATFORM', sk: 'DIRECT_RATE', booked_until: (await now()) + 4_000 }]);
      const write = () => team.api('POST', '/send', message(), { 'idempotency-key': 'twice' });
      const answers = await Promise.all([write(), write()]);
      return answers.find(({ status }) => status !== 200)!;
    },
  ],
  payload_too_large: [413, () => team.api('POST', '/lists', { name: 'x'.repeat(5 * 1024 * 1024) })],
  validation_error: [422, () => team.api('POST', '/lists', { name: 7 })],
  not_applicable: [
    422,
    async () => {
      const [{ id }] = (await team.api('GET', '/lists')).body.data.filter(
        (list: { is_default: boolean }) => list.is_default,
      );
      return team.api('DELETE', `/lists/${id}`);
    },
  ],
  send_blocked: [
    422,
    async () => team.api('POST', `/campaigns/${(await team.data('POST', '/campaigns', { name: 'Empty' })).id}/send`),
  ],
  still_settling: [
    422,
    async () => {
      const { campaign } = await readyCampaign(team, [{ email: 'unknown@example.com' }]);
      const fault = { service: 'ses', operation: 'SendBulkEmail', error: 'InternalServiceErrorException', count: 1 };
      await control('POST', '/faults', fault, stack.origin);
      await team.data('POST', `/campaigns/${campaign}/send`);
      await ended(stack.origin, team, campaign);
      return team.api('POST', `/campaigns/${campaign}/resend-unknown`);
    },
  ],
  idempotency_key_reused: [
    422,
    async () => {
      await team.api('POST', '/lists', { name: 'One' }, { 'idempotency-key': 'reused' });
      return team.api('POST', '/lists', { name: 'Two' }, { 'idempotency-key': 'reused' });
    },
  ],
  recipient_suppressed: [
    422,
    async () => {
      await team.data('POST', '/suppressions', { email: 'gone@example.com', reason: 'manual' });
      return send({ to: 'gone@example.com' });
    },
  ],
  sending_domain_unverified: [422, () => send({ from_email: 'me@elsewhere.example' })],
  plan_allowance_exceeded: [
    422,
    async () => {
      const own = await newTeam({ origin: stack.origin, plan: 'business' });
      const month = new Date(await now()).toISOString().slice(0, 7);
      await table.write([{ pk: `TEAM#${own.id}`, sk: `USAGE#${month}`, emails: 1_000_000 }]);
      return send({ from_email: `hello@${own.domain}` }, own);
    },
  ],
  address_not_allowed: [
    403,
    async () => {
      const bound = await team.data('POST', '/api-keys', { name: 'Elsewhere', allowed_ips: ['192.0.2.0/24'] });
      return team.withKey(bound.key).api('GET', '/me');
    },
  ],
  rate_limited: [
    429,
    async () => {
      const own = await newTeam({ origin: stack.origin, plan: 'business' });
      const pk = `KEY#${createHash('sha256').update(own.apiKey).digest('hex')}`;
      const minute = Math.floor((await now()) / minuteMs);
      await table.write([0, 1].map((later) => ({ pk, sk: `RATE#${minute + later}`, requests: 600 })));
      return own.api('GET', '/me');
    },
  ],
  internal_error: [
    500,
    () => under('ValidationException', 'TransactWriteItems', () => team.api('POST', '/lists', { name: 'Never' })),
  ],
  unavailable: [
    503,
    () => under('ThrottlingException', 'TransactWriteItems', () => team.api('POST', '/lists', { name: 'Never' })),
  ],
};

it('the OpenAPI document and docs/api.md list exactly these codes with these statuses', () => {
  expect(document.components.schemas.ErrorCode.enum.toSorted()).toEqual(Object.keys(errors).sort());
  const [, table = ''] = /^## Errors$(.*?)^## /ms.exec(readFileSync('docs/api.md', 'utf8')) ?? [];
  const rows = [...table.matchAll(/^\| (\d{3}) \| ([^|]+) \|/gm)];
  const named = rows.flatMap(([, status, words]) =>
    [...words!.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)] as const),
  );
  expect(Object.fromEntries(named)).toEqual(
    Object.fromEntries(Object.entries(errors).map(([code, [status]]) => [code, status])),
  );
});

it.each(Object.entries(errors).map(([code, [status, request]]) => ({ code, status, request })))(
  'answers $code with $status, in the common error format',
  async ({ code, status, request }) => {
    const { headers, body, ...answer } = await request();
    expect([answer.status, body.code]).toEqual([status, code]);
    const more = { validation_error: ['errors'], send_blocked: ['blockers'] }[code] ?? [];
    expect(Object.keys(body).sort()).toEqual(['code', 'message', 'request_id', ...more].sort());
    expect(body.message).toMatch(/^\S.*\S$/);
    expect(body.request_id).toBe(headers.get('x-request-id'));
    expect(headers.get('content-type')).toContain('application/json');
    for (const name of ['limit', 'remaining']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
    if ([409, 429, 503].includes(status)) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    else expect(headers.get('retry-after')).toBeNull();
  },
);

it.each(['InternalServerError', 'TransactionInProgressException'])(
  'answers 503 when DynamoDB ends in %s',
  async (error) => {
    const request = () => team.api('POST', '/contacts', { email: 'never@example.com' });
    const { status, body } = await under(error, '*', request);
    expect([status, body.code]).toEqual([503, 'unavailable']);
  },
);

it('gets any JSON of 3 MB, with any headers, through the 6 MB of Lambda, in which it is escaped', async () => {
  const post = (bytes: number) => team.api('POST', '/lists', longName(bytes), { 'x-any': '"'.repeat(9_000) });
  // Quotes in a JSON string are the worst: two bytes become four.
  const longName = (bytes: number) => `{"name":"${'\\"'.repeat((bytes - 11) / 2)}"}`;
  const { status, body } = await post(3_000_000 - 1);
  expect([status, Object.keys(body.errors ?? body)]).toEqual([422, ['name']]);
  expect((await post(3_200_001)).status).toBe(413);
});

it('reports the first of several faults: path, scope, size, idempotency, shape, record, reference', async () => {
  const scopeless = await keyWith(team, [], stack.origin);
  const reader = await keyWith(team, ['contacts:read'], stack.origin);
  const key = { 'idempotency-key': 'order' };
  await team.api('POST', '/lists', { name: 'First' }, key);
  const large = `{"name": "${'x'.repeat(5 * 1024 * 1024)}`;
  const answers = [
    await call(`${stack.origin}/v1/nowhere`, 'POST', '{'),
    await scopeless.api('POST', '/nowhere', '{'),
    await reader.api('POST', '/lists', large),
    await team.api('POST', '/lists', large, key),
    await team.api('POST', '/lists', '{', key),
    await team.api('PATCH', '/lists/999999', { name: 7 }),
    await team.api('PATCH', '/contacts/999999', { tag_ids: [999_999] }),
    await team.api('POST', '/sequences/999999/subscribers', { emails: ['nobody@example.com'] }),
    await team.api('POST', '/contacts', { email: 'ann@example.com', tag_ids: [999_999] }),
  ];
  expect(answers.map(({ body }) => body.code)).toEqual([
    'unauthenticated',
    'not_found',
    'missing_scope',
    'payload_too_large',
    'idempotency_key_reused',
    'validation_error',
    'not_found',
    'not_found',
    'validation_error',
  ]);
});
