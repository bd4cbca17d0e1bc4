import { allowancePeriod, type Plan, plans } from '../../domain/teams/plans.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';

/** A team's usage in a month. */
export interface Usage {
  emails: number;
  ai_tweaks: number;
  subject_tests: number;
  /** Tokens of the model, with what is reserved for requests under way. */
  ai_tokens: number;
}

/** Reads a team's usage in a month (`2026-11`). */
export async function inMonth(teamId: number, month: string): Promise<Usage> {
  const item = await table.get<Partial<Usage>>(keys.usage(teamId, month));
  const { emails = 0, ai_tweaks = 0, subject_tests = 0, ai_tokens = 0 } = item ?? {};
  return { emails, ai_tweaks, subject_tests, ai_tokens };
}

/** Emails left in the month; null when the plan has no limit. */
export async function emailsLeft(teamId: number, plan: Plan): Promise<number | null> {
  const limit = plans[plan].emailsPerMonth;
  if (limit === null) return null;
  return Math.max(0, limit - (await inMonth(teamId, allowancePeriod(new Date()))).emails);
}

/** The allowance of a plan that limits a counter. */
const limits = { emails: 'emailsPerMonth', ai_tweaks: 'aiTweaksPerMonth', ai_tokens: 'aiTokensPerMonth' } as const;

/** The write that takes `count` of a month's allowance; its condition fails when there is not enough. */
export function taking(teamId: number, plan: Plan, month: string, counter: keyof typeof limits, count: number) {
  const limit = plans[plan][limits[counter]];
  const write = adding(teamId, month, counter, count);
  if (limit === null) return write;
  // A new month has no row; a count beyond the whole limit needs a condition that fails without one.
  const isNew = count <= limit ? 'attribute_not_exists(#counter) OR ' : '';
  const ConditionExpression = `${isNew}#counter <= :room`;
  const ExpressionAttributeValues = { ':count': count, ':room': limit - count };
  return { Update: { ...write.Update, ConditionExpression, ExpressionAttributeValues } };
}

/** The write that adds to a counter of a month, or gives back (a negative count) what was not used. */
export const adding = (teamId: number, month: string, counter: keyof Usage, count: number) => ({
  Update: {
    Key: keys.usage(teamId, month),
    UpdateExpression: 'ADD #counter :count',
    ExpressionAttributeNames: { '#counter': counter },
    ExpressionAttributeValues: { ':count': count },
  },
});

/** Takes `count` of a month's allowance; false when there is not enough. */
export function take(...given: Parameters<typeof taking>): Promise<boolean> {
  return table.transactIf([taking(...given)]);
}

/** Adds to a counter of a month, or gives back (a negative count) what was taken and not used. */
export function add(...given: Parameters<typeof adding>): Promise<void> {
  return table.transact([adding(...given)]);
}
