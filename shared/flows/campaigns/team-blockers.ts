import * as teams from '../../data/teams/teams.ts';
import { type Blocker, orNotFound } from '../../domain/errors.ts';
import { accountLimits } from '../messages/account-limits.ts';
import { isBlocked } from './sending-record.ts';

/**
 * Why a team may send nothing now, by whatever way: campaigns, transactional messages, tests and sequences all ask
 * here. Empty when it may (docs/decisions/gates-and-counts.md).
 */
export async function teamBlockers(teamId: number): Promise<Blocker[]> {
  const team = orNotFound(await teams.find(teamId), 'team');
  const [{ inSandbox }, blocked] = await Promise.all([accountLimits(), isBlocked(team)]);
  const unmet: [Blocker, boolean][] = [
    ['abuse_screening_failed', blocked],
    ['sending_suspended', team.suspended_at !== undefined],
    ['sandboxed', team.sandbox || inSandbox],
  ];
  return unmet.filter(([, applies]) => applies).map(([word]) => word);
}
