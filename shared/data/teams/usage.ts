import { allowancePeriod, type Plan, plans } from '../../domain/teams/plans.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';

/** A team's usage in a month. */
export interface Usage {
  emails: number;
  ai_tweaks: number;
  subject_tests: number;
  /** Tokens of the model, for the operator's bill; no allowance limits them. */
  ai_tokens: number;
}

/** Reads a team's usage in a month (`2026-11`). */
export async function inMonth(teamId: number, month: string): Promise<Usage> {
  const item = await table.get<Partial<Usage>>(keys.usage(teamId, month));
  const { emails = 0, ai_tweaks = 0, subject_tests = 0, ai_tokens = 0 } = item ?? {};
  return { emails, ai_tweaks, subject_tests, ai_tokens };
}

/** Emails counted against the month's allowance so far. */
export async function emailsUsed(teamId: number): Promise<number> {
  return (await inMonth(teamId, allowancePeriod(new Date()))).emails;
}

/** Emails left in the month; null when the plan has no limit. */
export async function emailsLeft(teamId: number, plan: Plan): Promise<number | null> {
  const limit = plans[plan].emailsPerMonth;
  return limit === null ? null : Math.max(0, limit - (await emailsUsed(teamId)));
}

/** The write that takes `count` emails from a month's allowance; its condition fails when there are not enough. */
export function takeEmails(teamId: number, plan: Plan, month: string, count: number): table.TransactionWrite {
  return adding(teamId, month, 'emails', count, plans[plan].emailsPerMonth);
}

/** The write that adds to a counter of a month; its condition fails beyond the limit. */
function adding(
  teamId: number,
  month: string,
  counter: keyof Usage,
  count: number,
  limit: number | null = null,
): table.TransactionWrite {
  const room = limit === null ? null : limit - count;
  // A new month has no row; a count beyond the whole limit needs a condition that fails without one.
  const condition =
    room !== null && room < 0 ? '#counter <= :room' : 'attribute_not_exists(#counter) OR #counter <= :room';
  return {
    Update: {
      Key: keys.usage(teamId, month),
      UpdateExpression: 'ADD #counter :count',
      ...(room !== null && { ConditionExpression: condition }),
      ExpressionAttributeNames: { '#counter': counter },
      ExpressionAttributeValues: { ':count': count, ...(room !== null && { ':room': room }) },
    },
  };
}

/** Takes `count` emails from a month's allowance; false when there are not enough. */
export function take(teamId: number, plan: Plan, month: string, count: number): Promise<boolean> {
  return table.transactIf([takeEmails(teamId, plan, month, count)]);
}

/** Gives back emails that were taken in `month` and not sent. */
export function giveBack(teamId: number, month: string, count: number): Promise<void> {
  return table.transact([addEmails(teamId, month, -count)]);
}

/** The write that adds emails to a month's usage, or gives back (a negative count) those that were not sent. */
export function addEmails(teamId: number, month: string, count: number): table.TransactionWrite {
  return adding(teamId, month, 'emails', count);
}

/** Takes one AI tweak from a month's allowance; false when none is left. */
export function takeTweak(teamId: number, plan: Plan, month: string): Promise<boolean> {
  return table.transactIf([adding(teamId, month, 'ai_tweaks', 1, plans[plan].aiTweaksPerMonth)]);
}

/** Gives back a tweak that was taken in `month` without a result. */
export function giveBackTweak(teamId: number, month: string): Promise<void> {
  return table.transact([adding(teamId, month, 'ai_tweaks', -1)]);
}

/** Counts a subject-line test; there is no limit. */
export function countSubjectTest(teamId: number, month: string): Promise<void> {
  return table.transact([adding(teamId, month, 'subject_tests', 1)]);
}

/** Counts the tokens that the model has used for a team. */
export function countTokens(teamId: number, month: string, tokens: number): Promise<void> {
  return table.transact([adding(teamId, month, 'ai_tokens', tokens)]);
}
