import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyRow, idle } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';

let folder: string;
let stack: Stack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-bulk-'));
  stack = await startStack({ data: folder });
});

afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

const known = 'known@example.com';
const deleted = 'deleted@example.com';

/** A thousand rows: new ones, a known one, a deleted one, and one that appears twice. */
const contacts = Array.from({ length: 1_000 }, (_, index) => ({
  email: [known, deleted][index - 500] ?? `c${index === 999 ? 0 : index}@example.com`,
  first_name: `Row ${index}`,
  metadata: { [`key_${index % 3}`]: index },
}));

interface Import {
  team: Team;
  list: number;
  call(headers?: Record<string, string>): Promise<Answer>;
}

/** A team before the import: two contacts, one of them deleted, two lists and a tag. */
async function beforeImport(): Promise<Import> {
  const team = await newTeam({ origin: stack.origin });
  const made = async (path: string, body: object) => (await team.api('POST', path, body)).body.data.id as number;
  const list_ids = [await made('/lists', { name: 'One' }), await made('/lists', { name: 'Two' })];
  const tag_ids = [await made('/tags', { name: 'Imported' })];
  await made('/contacts', { email: known, metadata: { key_0: 'old', kept: true } });
  await made('/contacts', { email: deleted, list_ids: [1] });
  await team.api('DELETE', `/contacts/${deleted}`);
  const call: Import['call'] = (headers) =>
    team.api('POST', '/contacts/bulk', { contacts, list_ids, tag_ids }, headers);
  return { team, list: list_ids[0]!, call };
}

/** The state after an import: contacts with their relations and counts, memberships, and the rows by id. */
async function stateOf({ team }: Import) {
  const listed = await everyRow(team, '/contacts?include=tags,lists');
  const { partition } = await rawTable(folder);
  const members = async (name: string) => (await partition(`TEAM#${team.id}#${name}`)).map(({ sk, id }) => [sk, id]);
  const timeless = (record: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !name.endsWith('_at')));
  return {
    contacts: listed.map((contact) => ({ ...timeless(contact), tags: contact.tags.map(timeless) })),
    rows: await Promise.all(['LIST#1', 'LIST#2', 'LIST#3', 'TAG#1'].map(members)),
    ids: (await partition(`TEAM#${team.id}#CONTACT_ID`)).map((row) => [Number(row.sk), row.email]),
  };
}

/** Makes the call and kills the stack when a part of it is written. */
async function cutOff({ team, list, call }: Import, headers?: Record<string, string>): Promise<void> {
  const count = async () => (await team.api('GET', `/lists/${list}`)).body.data.contacts_count;
  const cut = call(headers).catch(() => 'cut off');
  while ((await count()) < 100);
  const port = Number(new URL(stack.origin).port);
  await stack.kill();
  expect(await cut).toBe('cut off');
  stack = await startStack({ data: folder, port });
  const written = await count();
  expect([written > 0, written < 999]).toEqual([true, true]);
}

it('gives the result of one clean call when a killed call is repeated under its Idempotency-Key', async () => {
  const [clean, crashed] = [await beforeImport(), await beforeImport()];
  const key = { 'idempotency-key': 'import' };
  const { body: expected } = await clean.call(key);
  expect([expected.created, expected.updated]).toEqual([997, 3]);
  await cutOff(crashed, key);
  // The killed call's claim on its Idempotency-Key ends with its lease.
  expect((await crashed.call(key)).status).toBe(409);
  await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
  const { status, body } = await crashed.call(key);
  expect([status, body]).toEqual([200, expected]);
  expect(await stateOf(crashed)).toEqual(await stateOf(clean));
  expect((await crashed.call(key)).body).toEqual(expected);
});

it('gives the result of one clean call, except new ids, when a killed call is repeated without a key', async () => {
  const [clean, crashed] = [await beforeImport(), await beforeImport()];
  const { body: expected } = await clean.call();
  await cutOff(crashed);
  const { status, body } = await crashed.call();
  expect([status, body.created + body.updated]).toEqual([200, 1_000]);
  expect(body.data.map((row: { email: string; status: string }) => [row.email, row.status])).toEqual(
    expected.data.map((row: { email: string; status: string }) => [row.email, row.status]),
  );
  const [wanted, found] = [await stateOf(clean), await stateOf(crashed)];
  const withoutIds = (state: typeof wanted) => ({
    contacts: state.contacts.map(({ id: _id, ...contact }: Record<string, unknown>) => contact),
    rows: state.rows.map((rows) => rows.map(([email]) => email)),
    ids: state.ids.map(([, email]) => email).sort(),
  });
  expect(withoutIds(found)).toEqual(withoutIds(wanted));
  const idOf = new Map(found.contacts.map((contact: Record<string, unknown>) => [contact.email, contact.id]));
  expect(new Set(idOf.values()).size).toBe(found.contacts.length);
  for (const [id, email] of found.ids) expect([email, id]).toEqual([email, idOf.get(email)]);
  for (const [email, id] of found.rows.flat()) expect([email, id]).toEqual([email, idOf.get(email)]);
  for (const row of body.data) expect([row.email, row.id]).toEqual([row.email, idOf.get(row.email)]);
  await idle(stack.origin);
});
