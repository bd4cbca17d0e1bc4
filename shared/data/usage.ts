import { allowancePeriod, type Plan, plans } from '../domain/plans.ts';
import { keys } from './keys.ts';
import * as table from './table.ts';

/** Emails counted against the month's allowance so far. */
export async function emailsUsed(teamId: number): Promise<number> {
  const item = await table.get<{ emails?: number }>(keys.usage(teamId, allowancePeriod(new Date())));
  return item?.emails ?? 0;
}

/** Emails left in the month; null when the plan has no limit. */
export async function emailsLeft(teamId: number, plan: Plan): Promise<number | null> {
  const limit = plans[plan].emailsPerMonth;
  return limit === null ? null : Math.max(0, limit - (await emailsUsed(teamId)));
}

/** The write that takes `count` emails from a month's allowance; its condition fails when they are not left. */
export function takeEmails(teamId: number, plan: Plan, month: string, count: number): table.TransactionWrite {
  const limit = plans[plan].emailsPerMonth;
  const room = limit === null ? null : limit - count;
  // Before the month's first email there is no row; where even an empty month has no room, only the impossible passes.
  const condition = room !== null && room < 0 ? 'emails <= :room' : 'attribute_not_exists(emails) OR emails <= :room';
  return {
    Update: {
      Key: keys.usage(teamId, month),
      UpdateExpression: 'ADD emails :count',
      ...(room !== null && { ConditionExpression: condition }),
      ExpressionAttributeValues: { ':count': count, ...(room !== null && { ':room': room }) },
    },
  };
}

/** Takes `count` emails from the month's allowance; false when they are not left. */
export function take(teamId: number, plan: Plan, count: number): Promise<boolean> {
  return table.transactIf([takeEmails(teamId, plan, allowancePeriod(new Date()), count)]);
}

/** Gives back emails of this month that were not sent after all. */
export function giveBack(teamId: number, count: number): Promise<void> {
  return table.transact([addEmails(teamId, allowancePeriod(new Date()), -count)]);
}

/** The write that adds emails to what is used of a month, or gives back (a negative count) what was taken in it and not sent. */
export function addEmails(teamId: number, month: string, count: number): table.TransactionWrite {
  return {
    Update: {
      Key: keys.usage(teamId, month),
      UpdateExpression: 'ADD emails :count',
      ExpressionAttributeValues: { ':count': count },
    },
  };
}
