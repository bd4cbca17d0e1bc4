import * as directOutcomes from '../../data/messages/direct-outcomes.ts';
import * as teams from '../../data/teams/teams.ts';
import { blockedByReputation, isJudged, recordDays, sumOf } from '../../domain/campaigns/reputation.ts';
import { type Blocker, orNotFound } from '../../domain/errors.ts';
import { timestamp } from '../../domain/time.ts';
import { accountLimits } from '../messages/account-limits.ts';
import { weekOf } from './sending-record.ts';

/** A verdict on a team's last week counts for this long, unless a bounce or a complaint comes. */
const verdictMs = 60_000;

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

async function isBlocked({ id, bad_feedback, verdict }: teams.TeamItem): Promise<boolean> {
  const known = verdict?.bad_feedback === (bad_feedback ?? 0);
  if (known && Date.now() < Date.parse(verdict.judged_at) + verdictMs) return verdict.blocked;
  const judged_at = timestamp();
  const [campaigns, direct] = await Promise.all([
    weekOf(id),
    directOutcomes.since(id, timestamp(Date.now() - recordDays * 86_400_000)),
  ]);
  const week = sumOf(campaigns, direct);
  const blocked = blockedByReputation(week);
  // A team with few messages is judged each time: the next message may be the one from which it counts.
  if (isJudged(week)) await teams.noteVerdict(id, { blocked, judged_at, bad_feedback: bad_feedback ?? 0 });
  return blocked;
}
