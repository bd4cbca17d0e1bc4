import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { idRows, rawTable } from '../../support/table.ts';
import { type Answer, newTeam, type Team } from '../../support/team.ts';

let folder: string;
export let stack: Stack;

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
export const contacts = Array.from({ length: 1_000 }, (_, index) => ({
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
export async function beforeImport(): Promise<Import> {
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
export async function stateOf({ team }: Import) {
  const listed = await everyRow(team, '/contacts?include=tags,lists');
  const table = await rawTable(folder);
  const members = async (name: string) =>
    (await table.partition(`TEAM#${team.id}#${name}`)).map(({ sk, id }) => [sk, id]);
  const timeless = (record: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !name.endsWith('_at')));
  return {
    contacts: listed.map((contact) => ({ ...timeless(contact), tags: contact.tags.map(timeless) })),
    rows: await Promise.all(['LIST#1', 'LIST#2', 'LIST#3', 'TAG#1'].map(members)),
    ids: await idRows(table, team.id),
  };
}

/** Makes the call and kills the stack when a part of it is written. */
export async function cutOff({ team, list, call }: Import, headers?: Record<string, string>): Promise<void> {
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
