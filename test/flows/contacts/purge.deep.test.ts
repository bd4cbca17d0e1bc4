import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyRow, idle } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type RawTable, rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

const members = 3_000;
const tagged = 1_500;

let folder: string;
let stack: Stack;
let table: RawTable;
let team: Team;
let [gone, kept, tag, other]: number[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-purge-'));
  stack = await startStack({ data: folder });
  table = await rawTable(folder);
  team = await newTeam({ origin: stack.origin });
  const made = async (path: string, name: string) => (await team.api('POST', path, { name })).body.data.id;
  [gone, kept] = [await made('/lists', 'Gone'), await made('/lists', 'Kept')];
  [tag, other] = [await made('/tags', 'Gone'), await made('/tags', 'Kept')];
  for (let start = 0; start < members; start += 500) {
    const contacts = Array.from({ length: 500 }, (_, index) => ({ email: `m${start + index}@example.com` }));
    const tag_ids = start < tagged ? [tag, other] : [tag];
    const { status } = await team.api('POST', '/contacts/bulk', { contacts, list_ids: [gone, kept], tag_ids });
    expect(status).toBe(200);
  }
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

const partition = (kind: 'LIST' | 'TAG', id: number) => `TEAM#${team.id}#${kind}#${id}`;
const left = async (pk: string) => (await table.partition(pk)).length;
const count = async (path: string) => (await team.api('GET', path)).body.data.contacts_count;

/** What the API shows right after the answer: the record is nowhere, and the counts of the others stay. */
async function expectHidden(path: string, kind: 'lists' | 'tags', id: number): Promise<void> {
  expect((await team.api('GET', path)).status).toBe(404);
  expect((await team.api('GET', `/contacts?${kind.slice(0, -1)}_id=${id}`)).status).toBe(422);
  expect([await count(`/lists/${kept}`), await count(`/tags/${other}`)]).toEqual([members, tagged]);
  const shown = await everyRow(team, '/contacts?include=lists,tags');
  expect(shown).toHaveLength(members);
  expect(shown.flatMap((contact) => contact[kind]).filter((record: { id: number }) => record.id === id)).toEqual([]);
  const on = (ids: { id: number }[], wanted: number) => ids.some((record) => record.id === wanted);
  expect(shown.filter(({ lists }) => on(lists, kept!))).toHaveLength(members);
  expect(shown.filter(({ tags }) => on(tags, other!))).toHaveLength(tagged);
}

it.each([
  ['lists', 'LIST', () => gone!],
  ['tags', 'TAG', () => tag!],
] as const)(
  'deleted %s are gone at once, and their memberships in rounds that a failing table only delays',
  async (kind, prefix, idOf) => {
    const id = idOf();
    const pk = partition(prefix, id);
    const total = await left(pk);
    expect((await team.api('DELETE', `/${kind}/${id}`)).body.data).toEqual({ id, deleted: true });
    let before = await left(pk);
    expect(before).toBe(total - 1_000);
    await expectHidden(`/${kind}/${id}`, kind, id);

    const refusing = {
      service: 'dynamodb',
      operation: 'TransactWriteItems',
      error: 'AccessDeniedException',
      rate: 0.1,
    };
    await control('POST', '/faults', refusing, stack.origin);
    await control('POST', '/faults', { ...refusing, error: 'lost_response', rate: 0.05 }, stack.origin);
    let rounds = 0;
    for (; before > 0 && rounds < 60; rounds++) {
      // As long as the longest pause of a job that failed.
      await control('POST', '/clock', { advance_seconds: 901 }, stack.origin);
      await idle(stack.origin);
      const now = await left(pk);
      expect(now).toBeLessThanOrEqual(before);
      before = now;
      if (rounds === 1) await expectHidden(`/${kind}/${id}`, kind, id);
    }
    await control('DELETE', '/faults', undefined, stack.origin);
    expect(before).toBe(0);
    expect(rounds).toBeGreaterThan(0);
    await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
    await idle(stack.origin);
    await expectHidden(`/${kind}/${id}`, kind, id);
    const contacts = await table.partition(`TEAM#${team.id}#CONTACT`);
    const ids = contacts.flatMap((row) => (row[`${kind.slice(0, -1)}_ids`] as number[] | undefined) ?? []);
    expect(ids).not.toContain(id);
    expect((await table.naming('#PURGE#')).filter(({ team_id }) => team_id === team.id)).toEqual([]);
  },
);

it('changes, deletes, restores and erases a member of a list that is being cleaned up', async () => {
  const list = (await team.api('POST', '/lists', { name: 'Being cleaned up' })).body.data.id;
  for (let start = 0; start < 2_000; start += 1_000) {
    const contacts = Array.from({ length: 1_000 }, (_, index) => ({ email: `m${start + index}@example.com` }));
    await team.api('POST', '/contacts/bulk', { contacts, list_ids: [list] });
  }
  await team.api('DELETE', `/lists/${list}`);
  const pk = partition('LIST', list);
  const late = (await table.partition(pk)).map(({ sk }) => sk);
  expect(late).toHaveLength(1_000);
  const [patched, deleted, restored, erased, attached] = late;
  const ok = async (method: string, path: string, body?: unknown) =>
    expect((await team.api(method, path, body)).status).toBe(200);
  await ok('PATCH', `/contacts/${patched}`, { list_ids: [] });
  await ok('DELETE', `/contacts/${deleted}`);
  await ok('DELETE', `/contacts/${restored}`);
  await ok('POST', '/contacts', { email: restored });
  await ok('POST', `/contacts/${erased}/erase`);
  await ok('POST', '/contacts', { email: attached, list_ids: [kept] });
  const now = (await table.partition(pk)).map(({ sk }) => sk);
  expect(now).toEqual(late.filter((email) => ![patched, deleted, restored, erased].includes(email)));
  await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
  await idle(stack.origin);
  expect(await left(pk)).toBe(0);
  expect(await count(`/lists/${kept}`)).toBe((await everyRow(team, `/lists/${kept}/contacts`)).length);
  expect((await team.api('GET', `/lists/${kept}`)).body.data.contacts_count).toBe(members - 3);
});

const kinds = [
  ['lists', 'LIST'],
  ['tags', 'TAG'],
] as const;

/** A team with a list or tag that has some members. */
async function joined(kind: 'lists' | 'tags') {
  const owner = await newTeam({ origin: stack.origin });
  const id = (await owner.data('POST', `/${kind}`, { name: 'Gone' })).id as number;
  const ids = { [`${kind.slice(0, -1)}_ids`]: [id] };
  const contacts = Array.from({ length: 20 }, (_, index) => ({ email: `m${index}@example.com` }));
  await owner.data('POST', '/contacts/bulk', { contacts, ...ids });
  return { owner, id, ids };
}

const faultFor = (fault: object) =>
  control('POST', '/faults', { service: 'dynamodb', error: 'AccessDeniedException', ...fault }, stack.origin);

async function nextRound(): Promise<void> {
  await control('DELETE', '/faults', undefined, stack.origin);
  await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
  await idle(stack.origin);
}

/** Nothing is left of it, nobody can join it, and its job is over. */
async function expectGone(owner: Team, kind: 'lists' | 'tags', name: 'LIST' | 'TAG', id: number): Promise<void> {
  expect((await owner.api('GET', `/${kind}/${id}`)).status).toBe(404);
  const shards = await table.partition(`TEAM#${owner.id}#${name}_COUNTS#0`);
  expect(shards.filter((row) => row[`deleted_${id}`] === true)).toHaveLength(16);
  expect(await table.partition(`TEAM#${owner.id}#${name}#${id}`)).toEqual([]);
  const contacts = await table.partition(`TEAM#${owner.id}#CONTACT`);
  expect(contacts.flatMap((row) => row[`${kind.slice(0, -1)}_ids`] as number[])).not.toContain(id);
  expect((await table.naming('#PURGE#')).filter(({ team_id }) => team_id === owner.id)).toEqual([]);
}

it.each(kinds)('deletes %s while other transactions hold the rows of the counts', async (kind, name) => {
  const { owner, id } = await joined(kind);
  const conflict = { operation: 'TransactWriteItems', error: 'TransactionCanceledException' };
  await faultFor({ ...conflict, containing: `TEAM#${owner.id}#${name}_COUNTS` });
  await owner.data('DELETE', `/${kind}/${id}`);
  await nextRound();
  await expectGone(owner, kind, name, id);
});

it.each(kinds)('a job completes the deletion of %s that is cut off between any two writes', async (kind, name) => {
  const row = kind === 'lists' ? { operation: 'DeleteItem' } : { operation: 'TransactWriteItems' };
  const shard = (number: number) => ({ operation: 'UpdateItem', containing: `"sk":{"S":"${number}"}` });
  const member = { operation: 'TransactWriteItems', containing: `#${name}#` };
  for (const cut of [row, shard(0), shard(1), shard(15), member]) {
    const { owner, id } = await joined(kind);
    await faultFor(cut);
    expect((await owner.api('DELETE', `/${kind}/${id}`)).status).toBe(500);
    await nextRound();
    await expectGone(owner, kind, name, id);
  }
});

it.each(kinds)('deletes %s during an import into them, which goes on without them', async (kind, name) => {
  const { owner, id, ids } = await joined(kind);
  const into = (await owner.data('POST', '/lists', { name: 'Kept' })).id as number;
  const imports = Array.from({ length: 4 }, (_, part) => {
    const contacts = Array.from({ length: 200 }, (_, index) => ({ email: `p${part}-${index}@example.com` }));
    return owner.api('POST', '/contacts/bulk', { contacts, ...ids, list_ids: [into, ...(ids.list_ids ?? [])] });
  });
  while ((await owner.data('GET', `/lists/${into}`)).contacts_count === 0);
  await owner.data('DELETE', `/${kind}/${id}`);
  expect((await Promise.all(imports)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await nextRound();
  await expectGone(owner, kind, name, id);
  expect((await owner.data('GET', `/lists/${into}`)).contacts_count).toBe(800);
});
