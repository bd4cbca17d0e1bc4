import { expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { keyWith, newTeam, type Team } from '../../support/team.ts';
import { mintedBy, revoke, works } from './key-families.setup.ts';

it('a key of the fiftieth generation mints no further one', async () => {
  const team = await newTeam();
  let youngest: Team = team;
  for (let generation = 1; generation <= 50; generation++) youngest = await mintedBy(youngest);
  const { status, body } = await youngest.api('POST', '/api-keys', { name: 'One more' });
  expect([status, body.code]).toEqual([422, 'not_applicable']);
});

it('a team has at most 100 active keys, also when many are minted at once', async () => {
  const team = await newTeam();
  const limited = await keyWith(team, ['contacts:read']);
  for (let made = 2; made < 90; made++) await mintedBy(limited);
  const mint = () => limited.api('POST', '/api-keys', { name: 'Many' });
  const answers = await Promise.all(Array.from({ length: 15 }, mint));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  for (const { status, body } of answers.filter(({ status }) => status !== 200))
    expect([status, body.code]).toEqual([422, 'not_applicable']);
  const active = (await everyRow(team, '/api-keys')).filter(({ revoked_at }) => revoked_at === null);
  expect(active).toHaveLength(100);
  expect(await revoke(team, active[0]!.id)).toEqual([200, undefined]);
  expect([(await mint()).status, (await mint()).status]).toEqual([200, 422]);
  // An operator helps a team whose keys are all used up.
  expect(await works(await keyWith(team, []))).toEqual([true]);
});
