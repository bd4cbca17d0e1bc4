import { randomUUID } from 'node:crypto';
import { logFailure } from '../../aws/log.ts';
import * as mailer from '../../aws/mailer.ts';
import { countSent } from '../../data/messages/direct-outcomes.ts';
import * as usage from '../../data/teams/usage.ts';
import { domainOf } from '../../domain/email-address.ts';
import { ApiError } from '../../domain/errors.ts';
import type { Operation } from '../../domain/operation.ts';
import type { Plan } from '../../domain/teams/plans.ts';
import { doubtSender, senderVerified } from './sender-verified.ts';
import { waitForDirectRate } from './wait-for-rate.ts';

/** The outcome of a message; `unknown`: the answer was lost, or an earlier execution may have sent it. */
export type Delivered = { outcome: 'accepted' | 'unknown' } | { outcome: mailer.Refusal; error: string };

/** Throws 422 `sending_domain_unverified` unless the address is on a domain of the team that SES has verified. */
export async function checkSender(teamId: number, from: string): Promise<void> {
  if (!(await senderVerified(teamId, from))) throw senderUnverified(from);
}

/** 422: SES has not verified the domain of this address. */
export const senderUnverified = (from: string) =>
  new ApiError(422, 'sending_domain_unverified', `The sending domain ${domainOf(from)} is not verified.`);

/** Takes messages from the month's allowance and counts them as sent; false when too few are left. */
export async function takeMessages(teamId: number, plan: Plan, month: string, count: number): Promise<boolean> {
  const taken = await usage.take(teamId, plan, month, 'emails', count);
  if (taken) await countSent(teamId, count);
  return taken;
}

/** Gives back messages that were taken and not sent. */
export async function giveBack(teamId: number, month: string, count: number): Promise<void> {
  await Promise.all([usage.add(teamId, month, 'emails', -count), countSent(teamId, -count)]);
}

/** Sends a message at the account's rate, at most once per operation and name. */
export async function deliverOnce(
  operation: Operation,
  name: string,
  message: mailer.DirectMessage,
): Promise<Delivered> {
  if ((await waitForDirectRate()) !== undefined)
    return { outcome: 'throttled', error: "the account's send rate is used up; try again in a minute" };
  const attempt = randomUUID();
  if ((await operation.memoize(name, () => attempt)) !== attempt) return { outcome: 'unknown' };
  try {
    await mailer.sendOne(message);
    return { outcome: 'accepted' };
  } catch (error) {
    const { outcome, error: text } = mailer.failureOf(error, message.from);
    const teamId = Number(message.tags.team);
    logFailure('message not sent', error, { team_id: teamId, outcome }, 'warn');
    if (outcome === 'unknown') return { outcome };
    if (outcome === 'unverified') await doubtSender(teamId, message.from);
    await operation.clear(name);
    return { outcome, error: text };
  }
}
