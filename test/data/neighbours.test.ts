import { expect, it } from 'vitest';
import { neighbours } from '../../shared/data/neighbours.ts';
import * as table from '../../shared/data/table.ts';
import { useSharedTable } from '../support/data.ts';
import { newTeam } from '../support/team.ts';

useSharedTable();

it.each([0, 4, 5, 6, 40])('finds the same items, whether %i or none are between them', async (between) => {
  const { id } = await newTeam();
  const pk = `TEAM#${id}#NEIGHBOURS`;
  const wanted = ['a', 'c', 'b', 'z', 'absent', 'y'];
  const others = Array.from({ length: between }, (_, at) => `m${String(at).padStart(3, '0')}`);
  await table.batchPut([...wanted.filter((sk) => sk !== 'absent'), ...others].map((sk) => ({ pk, sk, kept: sk })));
  const found = await neighbours(pk, wanted, 10);
  expect(wanted.map((sk) => found.get(sk))).toEqual(
    wanted.map((sk) => (sk === 'absent' ? undefined : { pk, sk, kept: sk })),
  );
  expect([...(await neighbours(pk, ['b', 'absent'], 10)).keys()]).toEqual(['b']);
});
