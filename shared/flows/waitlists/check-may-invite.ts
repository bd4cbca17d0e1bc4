import * as teams from '../../data/teams/teams.ts';
import * as usage from '../../data/teams/usage.ts';
import { ApiError, type Blocker, orNotFound, SendBlocked } from '../../domain/errors.ts';
import type { Plan } from '../../domain/teams/plans.ts';
import { isBlocked } from '../campaigns/sending-record.ts';

/**
 * Throws 422 when the messages of invitations would not be sent: for a team that is suspended or has a bad reputation,
 * and when the month's allowance has too few emails left.
 */
export async function checkMayInvite(teamId: number, plan: Plan, invitations: number): Promise<true> {
  const team = orNotFound(await teams.find(teamId), 'team');
  const blockers: Blocker[] = [
    ...((await isBlocked(team)) ? (['abuse_screening_failed'] as const) : []),
    ...(team.suspended_at ? (['sending_suspended'] as const) : []),
  ];
  if (blockers.length > 0) throw new SendBlocked(blockers);
  const left = await usage.emailsLeft(teamId, plan);
  if (left === null || left >= invitations) return true;
  const message = `The month has ${left} emails left, for ${invitations} invitations.`;
  throw new ApiError(422, 'plan_allowance_exceeded', message);
}
