import { expect, it } from 'vitest';
import * as lanes from '../../../shared/data/sequences/shards.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

it('lets a message that comes twice claim one page, also when that page is closed and the lane is not handed on yet', async () => {
  const { id: teamId } = await newTeam();
  const lane = { teamId, sequenceId: 1, lane: 0 };
  const pageOf = (claim_id: string): lanes.Page => ({ claim_id, claimed_at: '', lease_until: '', entries: [] });
  const beside = { Put: { Item: { pk: `TEST#${teamId}`, sk: 'beside' } } };
  const claim = (token: string, claimId: string) => lanes.claim(lane, token, pageOf(claimId), beside);
  const token = (await lanes.begin(lane))!;
  expect(await claim(token, 'first')).toBe(true);
  await lanes.close(lane, pageOf('first'));
  expect(await claim(token, 'copy')).toBe(false);
  const next = (await lanes.pass(lane, token, 0))!;
  expect(await claim(next, 'second')).toBe(true);
});
