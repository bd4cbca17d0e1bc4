import * as usage from '../../data/teams/usage.ts';
import { ApiError } from '../../domain/errors.ts';
import type { Plan } from '../../domain/teams/plans.ts';

/** Throws 422 when the month's allowance has too few emails left for invitations, whose messages will take them. */
export async function checkAllowance(teamId: number, plan: Plan, invitations: number): Promise<true> {
  const left = await usage.emailsLeft(teamId, plan);
  if (left === null || left >= invitations) return true;
  const message = `The month has ${left} emails left, for ${invitations} invitations.`;
  throw new ApiError(422, 'plan_allowance_exceeded', message);
}
