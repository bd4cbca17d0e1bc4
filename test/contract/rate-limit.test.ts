import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateApiKey } from '../../shared/domain/teams/api-key.ts';
import { everyRow } from '../support/campaign.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type RawTable, rawTable } from '../support/table.ts';
import { type Answer, call, control, keyWith, newTeam, type Team } from '../support/team.ts';

let folder: string;
let stack: Stack;
let table: RawTable;
let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-rate-'));
  stack = await startStack({ data: folder });
  table = await rawTable(folder);
  team = await newTeam({ origin: stack.origin, plan: 'business' });
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

const advance = (advance_seconds: number) => control('POST', '/clock', { advance_seconds }, stack.origin);

/** Moves the clock to the start of a minute, so that the next requests are in one window. */
async function newMinute(): Promise<void> {
  const { body } = await control('GET', '/clock', undefined, stack.origin);
  await advance(60 - (Date.parse(body.now) % 60_000) / 1_000);
}

/** Presets the requests of this minute and the next, as if they had been made before. */
async function preset(pk: string, requests: number): Promise<void> {
  await newMinute();
  const { body } = await control('GET', '/clock', undefined, stack.origin);
  const minute = Math.floor(Date.parse(body.now) / 60_000);
  await table.write([0, 1].map((later) => ({ pk, sk: `RATE#${minute + later}`, requests })));
}

const rowsOf = (key: Team) => `KEY#${createHash('sha256').update(key.apiKey).digest('hex')}`;

/** Makes a request `count` times, 25 at once. */
async function many(count: number, request: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < count; start += 25)
    answers.push(
      ...(await Promise.all(Array.from({ length: Math.min(25, count - start) }, (_, i) => request(start + i)))),
    );
  return answers;
}

const remaining = ({ headers }: Answer) => Number(headers.get('x-ratelimit-remaining'));

function expectLimited(answer: Answer, limit: number): number {
  expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited']);
  expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
  expect([answer.headers.get('x-ratelimit-limit'), remaining(answer)]).toEqual([String(limit), 0]);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  return seconds;
}

describe('a key of the business plan', () => {
  it('gets 600 requests a minute, 429 for the next one, and is served again in the next minute', async () => {
    expect((await team.api('GET', '/me')).body.data.rate_limit).toEqual({ requests_per_minute: 600 });
    await preset(rowsOf(team), 540);
    const paths = ['/me', '/contacts', '/nowhere', '/lists/999999', '/contacts?per_page=0'];
    const answers = await many(60, (index) => team.api('GET', paths[index % paths.length]!));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 404, 422]));
    expect(answers.every(({ headers }) => headers.get('x-ratelimit-limit') === '600')).toBe(true);
    expect(answers.map(remaining).sort((a, b) => b - a)).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index));

    const write = () => team.api('POST', '/lists', { name: 'Later' }, { 'idempotency-key': 'limited' });
    expectLimited(await team.api('GET', '/nowhere'), 600);
    const seconds = expectLimited(await write(), 600);
    const sibling = await keyWith(team, ['contacts:read'], stack.origin);
    expect(remaining(await sibling.api('GET', '/contacts'))).toBe(599);
    expect((await control('GET', '/clock', undefined, stack.origin)).status).toBe(200);

    await advance(seconds);
    // The refused write was not stored: now it executes.
    const written = await write();
    expect([written.status, written.headers.get('idempotent-replayed')]).toEqual([200, null]);
    // Of the next minute, 540 are preset as well.
    expect(remaining(written)).toBe(59);
    expect((await everyRow(team, '/lists')).filter(({ name }) => name === 'Later')).toHaveLength(1);
  });

  it('has its own limit: enterprise gets 6,000', async () => {
    const large = await newTeam({ origin: stack.origin, plan: 'enterprise' });
    const { headers } = await large.api('GET', '/me');
    expect(headers.get('x-ratelimit-limit')).toBe('6000');
  });
});

describe('all keys of a team together', () => {
  const statuses = async (count: number, key: Team) =>
    (await many(count, () => key.api('GET', '/me'))).map(({ status }) => status);
  const times = (count: number, status: number) => Array.from({ length: count }, () => status);

  it('get ten times the requests of one key, to within ten requests a key', async () => {
    const keys = [await keyWith(team, [], stack.origin), await keyWith(team, [], stack.origin)];
    await preset(`TEAM#${team.id}#RATE`, 5_980);
    for (const key of keys) expect(await statuses(10, key)).toEqual(times(10, 200));
    for (const key of keys) {
      expect((await statuses(10, key)).filter((status) => status === 429)).toHaveLength(1);
      expect(await statuses(5, key)).toEqual(times(5, 429));
      const refused = await key.api('GET', '/me');
      expectLimited(refused, 600);
      expect(refused.body.message).toContain('6000 requests of the team');
    }
    const stranger = await newTeam({ origin: stack.origin, plan: 'business' });
    expect((await stranger.api('GET', '/me')).status).toBe(200);
    await newMinute();
    expect(await statuses(1, keys[0]!)).toEqual([200]);
  });

  it('do not count what a key is refused over its own limit', async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    await preset(rowsOf(own), 585);
    expect((await statuses(30, own)).filter((status) => status === 429)).toHaveLength(15);
    const counted = await table.partition(`TEAM#${own.id}#RATE`);
    expect(counted.map(({ requests }) => requests)).toEqual([20]);
  });
});

describe('a caller without a valid key', () => {
  it('is limited to 600 requests a minute by source address, public endpoints and pages included', async () => {
    await preset('IP#127.0.0.1', 540);
    const url = (path: string) => `${stack.origin}${path}`;
    const requests = [
      () => call(url('/v1/contacts')),
      () => call(url('/v1/contacts'), 'GET', undefined, { 'x-api-key': generateApiKey() }),
      () =>
        call(url('/v1/contacts'), 'GET', undefined, { authorization: 'Bearer wrong', 'x-forwarded-for': '192.0.2.1' }),
      () => call(url('/v1/openapi.json')),
      () => call(url('/unsubscribe/nobody')),
    ];
    const answers = await many(60, (index) => requests[index % requests.length]!());
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 200, 404]));
    for (const request of requests.slice(0, 4)) expectLimited(await request(), 600);
    const page = await requests[4]!();
    expect([page.status, remaining(page), page.headers.get('content-type')]).toEqual([
      429,
      0,
      'text/html; charset=utf-8',
    ]);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    const waitlist = (await team.api('POST', '/waitlists', { name: 'Popular' })).body.data;
    expect((await call(waitlist.public_url)).status).toBe(200);
    const form = new TextEncoder().encode('email=ann@example.com');
    expect((await call(waitlist.public_url, 'POST', form)).status).toBe(429);
    expect((await team.api('GET', `/waitlists/${waitlist.id}`)).body.data.signups_count).toBe(0);
    await newMinute();
    expect((await requests[0]!()).status).toBe(401);
    expect((await call(waitlist.public_url, 'POST', form)).status).toBe(303);
  });
});

it('honours an Idempotency-Key for 24 hours', async () => {
  const write = () => team.api('POST', '/lists', { name: 'Daily' }, { 'idempotency-key': 'daily' });
  const first = await write();
  await advance(23 * 3_600);
  const replay = await write();
  expect([replay.body, replay.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
  await advance(3_601);
  const second = await write();
  expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, null]);
  expect(second.body.data.id).not.toBe(first.body.data.id);
});
