import { expect, it } from 'vitest';
import { everyRow, idle } from '../../support/campaign.ts';
import { control } from '../../support/team.ts';
import { count, kept, left, members, partition, stack, table, team } from './purge.setup.ts';

it('lets a member of a list that is being cleaned up be changed, deleted, restored and erased', async () => {
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
