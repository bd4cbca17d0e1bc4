import { beforeAll, expect, it } from 'vitest';
import { bothWays } from '../../support/paging.ts';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

let count = 0;
const address = () => `s-${++count}@example.com`;
const suppress = (email: string, reason: string) =>
  team.api('POST', '/suppressions', { email, reason, metadata: { note: 'x' } });
const statusOf = async (email: string) => (await team.api('GET', `/contacts/${email}`)).body.data.status;

it('answers exactly the fields of a suppression and lists newest first, by reason and by exact email', async () => {
  const [first, second] = [address(), 'with+plus@example.com'];
  const made = (await suppress(` ${first.toUpperCase()}`, 'manual')).body.data;
  expect(made).toEqual({ id: expect.any(Number), email: first, reason: 'manual', source: 'api', campaign_id: null });
  const other = (await suppress(second, 'hard_bounce')).body.data;
  expect((await team.api('GET', '/suppressions')).body.data.slice(0, 2)).toEqual([other, made]);
  expect((await team.api('GET', '/suppressions?reason=manual')).body.data).toContainEqual(made);
  expect((await team.api('GET', '/suppressions?reason=manual')).body.data).not.toContainEqual(other);
  for (const query of ['with%2Bplus@example.com', 'with+plus@example.com', 'WITH%2bplus@example.com'])
    expect((await team.api('GET', `/suppressions?email=${query}`)).body.data).toEqual([other]);
  expect((await team.api('GET', `/suppressions?email=${first}&reason=hard_bounce`)).body.data).toEqual([]);
});

it.each([
  ['unsubscribe', 'unsubscribed'],
  ['spam_report', 'unsubscribed'],
  ['hard_bounce', 'bounced'],
  ['manual', 'active'],
])('for %s makes the contact %s, and lifting it makes it active again', async (reason, status) => {
  const email = address();
  await team.api('POST', '/contacts', { email });
  await suppress(email, reason);
  expect(await statusOf(email)).toBe(status);
  const removed = await team.api('DELETE', '/suppressions', { email });
  expect([removed.status, removed.body]).toEqual([200, { data: { status: 'removed' } }]);
  expect(await statusOf(email)).toBe('active');
  expect((await team.api('DELETE', '/suppressions', { email })).status).toBe(404);
});

it('upserts on the address: one record, and a bounce or complaint is not weakened', async () => {
  const email = address();
  const first = (await suppress(email, 'unsubscribe')).body.data;
  expect((await suppress(email, 'manual')).body.data).toMatchObject({ id: first.id, reason: 'manual' });
  expect((await suppress(email, 'spam_report')).body.data).toMatchObject({ id: first.id, reason: 'spam_report' });
  expect((await suppress(email, 'unsubscribe')).body.data).toMatchObject({ id: first.id, reason: 'spam_report' });
  expect((await team.api('GET', `/suppressions?email=${email}`)).body.data).toHaveLength(1);
});

it('lists by reason, forwards and backwards, each suppression under its current reason', async () => {
  const own = await newTeam();
  const add = async (email: string, reason: string) =>
    (await own.api('POST', '/suppressions', { email, reason })).body.data.id as number;
  const ids: Record<string, number[]> = {
    unsubscribe: [],
    manual: [],
    hard_bounce: [],
    spam_report: [],
    soft_bounce: [],
  };
  for (let index = 0; index < 24; index++) {
    const reason = index % 8 === 0 ? 'manual' : 'unsubscribe';
    ids[reason]!.unshift(await add(`r-${index}@example.com`, reason));
  }
  for (const index of [3, 4]) {
    const id = await add(`r-${index}@example.com`, 'hard_bounce');
    ids.unsubscribe = ids.unsubscribe!.filter((other) => other !== id);
    ids.hard_bounce!.unshift(id);
  }
  for (const [reason, expected] of Object.entries(ids)) {
    const found = await bothWays(own, `/suppressions?reason=${reason}`, 4);
    expect([reason, found.map(({ id }) => id)]).toEqual([reason, expected]);
    for (const row of found) expect(row.reason).toBe(reason);
  }
  const both = async (query: string) => (await own.api('GET', `/suppressions?${query}`)).body.data.length;
  expect(await both('email=r-3@example.com&reason=hard_bounce')).toBe(1);
  expect(await both('email=r-3@example.com&reason=unsubscribe')).toBe(0);
});

it('creates one record from concurrent suppressions of one address', async () => {
  const email = address();
  const answers = await Promise.all(Array.from({ length: 20 }, () => suppress(email, 'manual')));
  expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
});

it('never leaves a suppressed contact active after a bounce while a suppression is lifted', async () => {
  for (let turn = 0; turn < 25; turn++) {
    const email = address();
    await team.api('POST', '/contacts', { email });
    await suppress(email, 'unsubscribe');
    await Promise.all([team.api('DELETE', '/suppressions', { email }), suppress(email, 'hard_bounce')]);
    const [standing] = (await team.api('GET', `/suppressions?email=${email}`)).body.data;
    if (standing) expect([standing.reason, await statusOf(email)]).toEqual(['hard_bounce', 'bounced']);
  }
});

it('refuses soft_bounce, unknown reasons and bad addresses', async () => {
  for (const [body, field] of [
    [{ email: address(), reason: 'soft_bounce' }, 'reason'],
    [{ email: address() }, 'reason'],
    [{ email: 'nobody', reason: 'manual' }, 'email'],
  ] as const) {
    const answer = await team.api('POST', '/suppressions', body);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
  }
  expect((await team.api('DELETE', '/suppressions', {})).status).toBe(422);
});
