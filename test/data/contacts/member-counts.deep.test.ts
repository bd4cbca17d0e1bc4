import { expect, it } from 'vitest';
import * as lists from '../../../shared/data/contacts/lists.ts';
import { countWrites } from '../../../shared/data/contacts/member-counts.ts';
import * as tags from '../../../shared/data/contacts/tags.ts';
import * as table from '../../../shared/data/table.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const join = (teamId: number, what: 'list' | 'tag', id: number) =>
  table.transactIf(countWrites(teamId, [{ what, id, delta: 1 }]));

it('adds what concurrent transactions count on any shard', async () => {
  const { id: teamId } = await newTeam();
  await lists.create(teamId, 40, { name: 'One' });
  await lists.create(teamId, 41, { name: 'Other' });
  const changes = [
    { what: 'list', id: 40, delta: 3 },
    { what: 'list', id: 40, delta: -1 },
    { what: 'list', id: 41, delta: 1 },
  ] as const;
  await Promise.all(Array.from({ length: 40 }, () => table.transact(countWrites(teamId, changes))));
  const found = await lists.batch(teamId, [41, 7, 40]);
  expect(found.map((list) => list?.contacts_count)).toEqual([40, undefined, 80]);
});

it.each(['list', 'tag'] as const)('gives a deleted %s no member, and does not create it again', async (what) => {
  const { id: teamId } = await newTeam();
  const create = () => (what === 'list' ? lists.create(teamId, 5, { name: 'Gone' }) : tags.create(teamId, 5, 'Gone'));
  const { find, remove } = what === 'list' ? lists : tags;
  expect(await create()).toMatchObject({ id: 5, contacts_count: 0 });
  expect(await join(teamId, what, 5)).toBe(true);
  // A repetition after a crash finds what the first attempt created.
  expect(await create()).toMatchObject({ id: 5, contacts_count: 1 });
  await remove(teamId, 5);
  const writers = Array.from({ length: 40 }, () => join(teamId, what, 5));
  expect(new Set(await Promise.all(writers))).toEqual(new Set([false]));
  expect(await create()).toMatchObject({ id: 5 });
  expect(await find(teamId, 5)).toBeUndefined();
});
