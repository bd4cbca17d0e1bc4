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
  const claim = async (token: string, claimId: string) => {
    const { spent: spentBefore } = await shards.find(shard);
    return shards.claim(shard, { token, spentBefore }, pageOf(claimId), beside);
  };
  const token = (await shards.pass(shard, { token: 'first', begins: true }, 0))!;
  expect(await claim(token, 'first')).toBe(true);
  await shards.close(shard, pageOf('first'));
  expect(await claim(token, 'copy')).toBe(false);
  const next = (await shards.pass(shard, { token }, 0))!;
  expect(await claim(next, 'second')).toBe(true);
});

it('claims no page for a message that has read the subscribers before another one sent to them and ended', async () => {
  const { id: teamId } = await newTeam();
  for (const before of [undefined, 'earlier']) {
    const shard = { teamId, sequenceId: 2, shard: before ? 1 : 0 };
    const page = (claim_id: string): shards.Page => ({ claim_id, claimed_at: '', lease_until: '', entries: [] });
    const beside = { Put: { Item: { pk: `TEST#${teamId}`, sk: 'beside' } } };
    const begin = (token: string, spentBefore: string | undefined) =>
      shards.claim(shard, { token, begins: true, spentBefore }, page(`page of ${token}`), beside);
    const end = async (token: string) => {
      await shards.close(shard, page(`page of ${token}`));
      await shards.end(shard, token);
    };
    if (before) {
      expect(await begin(before, undefined)).toBe(true);
      await end(before);
    }
    const { spent: slow } = await shards.find(shard);
    expect(await begin('quick', slow)).toBe(true);
    await end('quick');
    expect(await begin('slow', slow)).toBe(false);
    expect(await begin('next', (await shards.find(shard)).spent)).toBe(true);
  }
});
