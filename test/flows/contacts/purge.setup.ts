import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Stack, startStack } from '../../support/stack.ts';
import { type RawTable, rawTable } from '../../support/table.ts';
import { newTeam, type Team } from '../../support/team.ts';

export const members = 3_000;
export const tagged = 1_500;

let folder: string;
export let stack: Stack;
export let table: RawTable;
export let team: Team;
export let [gone, kept, tag, other]: number[] = [];

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

export const partition = (kind: 'LIST' | 'TAG', id: number) => `TEAM#${team.id}#${kind}#${id}`;
export const left = async (pk: string) => (await table.partition(pk)).length;
export const count = async (path: string) => (await team.api('GET', path)).body.data.contacts_count;
