import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Stack, startStack } from '../../support/stack.ts';
import { type RawTable, rawTable } from '../../support/table.ts';
import { control, newTeam } from '../../support/team.ts';

let folder: string;
let stack: Stack;
let table: RawTable;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-bulk-'));
  stack = await startStack({ data: folder });
  table = await rawTable(folder);
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('ends a bulk call that takes too long, writes nothing after its answer, and goes on in a repeat', async () => {
  const team = await newTeam({ origin: stack.origin });
  const tag_ids: number[] = [];
  for (let tag = 0; tag < 10; tag++) tag_ids.push((await team.data('POST', '/tags', { name: `t${tag}` })).id);
  const contacts = Array.from({ length: 600 }, (_, index) => ({ email: `slow-${index}@example.com` }));
  const slow = { service: 'dynamodb', operation: 'TransactWriteItems', error: 'slow', rate: 1 };
  await control('POST', '/faults', { ...slow, containing: `TEAM#${team.id}#` }, stack.origin);
  const send = () => team.api('POST', '/contacts/bulk', { contacts, tag_ids }, { 'idempotency-key': 'slow' });
  const written = async () => (await table.naming(`TEAM#${team.id}#CONTACT`)).length;

  const { status, headers, body } = await send();
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
  expect(headers.get('retry-after')).toBe('1');
  expect(body.message).toContain('send it again');
  await control('DELETE', '/faults', undefined, stack.origin);
  const first = await written();
  expect(first).toBeGreaterThan(0);
  // What the request had begun would be slow no more.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(await written()).toBe(first);

  const again = await send();
  expect(again.status).toBe(200);
  expect(again.body).toMatchObject({ created: 600, updated: 0 });
  expect((await team.data('GET', `/tags/${tag_ids[9]}`)).contacts_count).toBe(600);
});
