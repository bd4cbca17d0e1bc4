import { expect, it } from 'vitest';
import * as shards from '../../../shared/data/sequences/shards.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

it('claims one page per token, also after that page was closed', async () => {
  const { id: teamId } = await newTeam();
  const shard = { teamId, sequenceId: 1, shard: 0 };
  const pageOf = (claim_id: string): shards.Page => ({ claim_id, claimed_at: '', lease_until: '', entries: [] });
  const beside = { Put: { Item: { pk: `TEST#${teamId}`, sk: 'beside' } } };
  const claim = (token: string, claimId: string) => shards.claim(shard, { token }, pageOf(claimId), beside);
  const token = (await shards.pass(shard, { token: 'first', begins: true }, 0))!;
  expect(await claim(token, 'first')).toBe(true);
  await shards.close(shard, pageOf('first'));
  expect(await claim(token, 'copy')).toBe(false);
  const next = (await shards.pass(shard, { token }, 0))!;
  expect(await claim(next, 'second')).toBe(true);
});
