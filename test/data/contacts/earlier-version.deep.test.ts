import { expect, it } from 'vitest';
import * as table from '../../../shared/data/table.ts';
import { everyRow } from '../../support/campaign.ts';
import { useSharedTable } from '../../support/data.ts';
import { bothWays } from '../../support/paging.ts';
import { newTeam, type Team } from '../../support/team.ts';

useSharedTable();

const time = (minute: number) => `2026-10-01T10:${String(minute).padStart(2, '0')}:00.000000+00:00`;
const padded = (id: number) => String(id).padStart(12, '0');

/** A team with a list, a tag and three contacts as commit 04286c3 stored them: old0@… to old2@…, ids 501 to 503. */
async function earlierTeam(): Promise<Team & { list: number; tag: number }> {
  const team = await newTeam();
  const list = (await team.data('POST', '/lists', { name: 'Old' })).id;
  const tag = (await team.data('POST', '/tags', { name: 'Old' })).id;
  const own = `TEAM#${team.id}`;
  const contacts = [0, 1, 2].flatMap((at) => {
    const [id, email, updated_at] = [501 + at, `old${at}@example.com`, time(at)];
    const known = { status: 'active', metadata: {}, soft_bounce_count: 0, created_by: 'before', version: 1 };
    const gsi1 = { gsi1pk: `${own}#CONTACT`, gsi1sk: `${updated_at}#${padded(id)}` };
    const times = { created_at: updated_at, updated_at, subscribed_at: updated_at };
    const sets = { list_ids: [list], tag_ids: [tag] };
    return [
      { pk: `${own}#CONTACT`, sk: email, ...gsi1, id, email, ...known, ...times, ...sets },
      { pk: `${own}#CONTACT_ID`, sk: padded(id), email },
      { pk: `${own}#LIST#${list}`, sk: email, id },
      { pk: `${own}#TAG#${tag}`, sk: email, id },
    ];
  });
  await table.batchPut(contacts);
  for (const [pk, id] of [
    [`${own}#LISTS`, list],
    [`${own}#TAGS`, tag],
  ] as const)
    await table.update({
      Key: { pk, sk: padded(id) },
      UpdateExpression: 'SET contacts_count = :three',
      ExpressionAttributeValues: { ':three': 3 },
    });
  await table.put({ Item: { pk: own, sk: 'SEQ#contact', last: 503 } });
  return { ...team, list, tag };
}

const stored = (team: Team, email: string) => table.get({ pk: `TEAM#${team.id}#CONTACT`, sk: email });
const emails = (rows: readonly { email: string }[]) => rows.map(({ email }) => email);
const changed = (team: Team, query = '') => everyRow(team, `/contacts?updated_since=2026-10-01${query}`);
const counts = async (team: Team & { list: number; tag: number }) => [
  (await team.data('GET', `/lists/${team.list}`)).contacts_count,
  (await team.data('GET', `/tags/${team.tag}`)).contacts_count,
];

it('lists contacts of the version before by change, in one order with new ones, from its cursors on', async () => {
  const team = await earlierTeam();
  const more = Array.from({ length: 30 }, (_, at) => ({ email: `new${at}@example.com` }));
  await team.data('POST', '/contacts/bulk', { contacts: more });
  const expected = [...[0, 1, 2].map((at) => `old${at}@example.com`), ...emails(more)];
  expect(emails(await changed(team)).slice(0, 3)).toEqual(expected.slice(0, 3));
  expect(emails(await changed(team)).sort()).toEqual([...expected].sort());
  expect(await bothWays(team, '/contacts?updated_since=2026-10-01', 4)).toEqual(await changed(team));
  const { next_cursor } = (await team.api('GET', '/contacts?updated_since=2026-10-01&per_page=1')).body;
  // The position that a cursor of the version before holds.
  expect(JSON.parse(Buffer.from(next_cursor, 'base64url').toString()).p).toBe(`${time(0)}#${padded(501)}`);
});

it('moves a contact to its shard with the first change that gives it another position, and not before', async () => {
  const team = await earlierTeam();
  await team.api('DELETE', `/tags/${team.tag}`);
  const forgotten = (await stored(team, 'old1@example.com'))!;
  expect([forgotten.tag_ids, forgotten.gsi1pk]).toEqual([[], `TEAM#${team.id}#CONTACT`]);
  expect(emails(await changed(team))).toEqual([0, 1, 2].map((at) => `old${at}@example.com`));
  await team.data('PATCH', '/contacts/old1@example.com', { first_name: 'Changed' });
  expect((await stored(team, 'old1@example.com'))!.gsi1pk).toBe(`TEAM#${team.id}#CONTACT_CHANGE#${502 % 12}`);
  expect(emails(await changed(team))).toEqual([0, 2, 1].map((at) => `old${at}@example.com`));
});

it('counts members on from the number that the version before left in the list and the tag', async () => {
  const team = await earlierTeam();
  expect(await counts(team)).toEqual([3, 3]);
  await team.data('POST', '/contacts', { email: 'new@example.com', list_ids: [team.list], tag_ids: [team.tag] });
  expect(await counts(team)).toEqual([4, 4]);
  await team.data('PATCH', '/contacts/old0@example.com', { list_ids: [] });
  expect(await counts(team)).toEqual([3, 4]);
  const renamed = await team.data('PATCH', `/lists/${team.list}`, { name: 'Renamed' });
  expect(renamed.contacts_count).toBe(3);
  const listed = await everyRow(team, '/lists');
  expect(listed.map(({ contacts_count }) => contacts_count)).toEqual([3, 0]);
});

it('finds a contact of the version before by id, and no more once it is erased', async () => {
  const team = await earlierTeam();
  expect((await team.data('GET', '/contacts/502')).email).toBe('old1@example.com');
  await team.data('POST', '/contacts/502/erase');
  expect((await team.api('GET', '/contacts/502')).status).toBe(404);
  expect(await table.get({ pk: `TEAM#${team.id}#CONTACT_ID`, sk: padded(502) })).toBeUndefined();
  expect((await team.data('GET', '/contacts/503')).email).toBe('old2@example.com');
});
