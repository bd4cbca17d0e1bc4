import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';
import { control, newTeam, type Team } from '../support/team.ts';

let folder: string;
let stack: Stack;
let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-bulk-'));
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
});

afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

it('ends a bulk call that was killed half-way, when it is made again, as one clean call would have', async () => {
  const list = (await team.api('POST', '/lists', { name: 'Imported' })).body.data.id;
  const count = async () => (await team.api('GET', `/lists/${list}`)).body.data.contacts_count;
  await team.api('POST', '/contacts', { email: 'known@example.com' });
  const contacts = Array.from({ length: 1_000 }, (_, index) => ({ email: `c${index}@example.com` }));
  contacts[500] = { email: 'known@example.com' };
  const bulk = () =>
    team.api('POST', '/contacts/bulk', { contacts, list_ids: [list] }, { 'idempotency-key': 'import-1' });

  const cut = bulk().catch(() => 'cut off');
  while ((await count()) < 100);
  const port = Number(new URL(stack.origin).port);
  await stack.kill();
  expect(await cut).toBe('cut off');
  stack = await startStack({ data: folder, port });
  expect(await count()).toBeLessThan(1_000);

  // The dead call's claim on its Idempotency-Key ends with its lease.
  expect((await bulk()).status).toBe(409);
  await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
  const { status, body } = await bulk();
  expect([status, body.created, body.updated]).toEqual([200, 999, 1]);
  const known = body.data[500];
  const created = body.data.filter((row: { created: boolean }) => row.created);
  expect(known.created).toBe(false);
  expect(created.map((row: { id: number }) => row.id)).toEqual(
    created.map((_: unknown, index: number) => known.id + 1 + index),
  );
  expect(await count()).toBe(1_000);
});
