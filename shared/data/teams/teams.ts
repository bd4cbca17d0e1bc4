import type { Actor } from '../../domain/actor.ts';
import { changedFields } from '../../domain/teams/audit.ts';
import type { Plan } from '../../domain/teams/plans.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';
import { auditWrite } from './audit-log.ts';

/** A team: all data belongs to one. */
export interface TeamItem extends Key {
  id: number;
  name: string;
  plan: Plan;
  /** In the sandbox only verified recipients get messages, and none of campaigns and sequences. */
  sandbox: boolean;
  /** Set by an operator: nothing is sent. */
  suspended_at?: string;
  /** Counts batches of feedback with bounces or complaints, in any of its messages. */
  bad_feedback?: number;
  /** Whether its last week blocks it. */
  verdict?: Verdict;
  /** The day from which its events are in more partitions (data/events/shards); empty for all days. */
  events_spread_since?: string;
  created_at: string;
}

/** A judgement of a team's last week; one of an earlier `bad_feedback` does not count. */
interface Verdict {
  blocked: boolean;
  judged_at: string;
  bad_feedback: number;
}

/** Creates a team with the next id. */
export async function create(input: { name: string; plan: Plan; sandbox: boolean }, by: Actor): Promise<TeamItem> {
  const counter = await table.update<{ team: number }>({
    Key: keys.platformCounter(),
    UpdateExpression: 'ADD team :one',
    ExpressionAttributeValues: { ':one': 1 },
    ReturnValues: 'UPDATED_NEW',
  });
  const id = counter!.team;
  const item: TeamItem = { ...keys.team(id), id, ...input, events_spread_since: '', created_at: timestamp() };
  await table.transact([
    { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
    auditWrite(id, by, 'team.created', id, { after: input }),
  ]);
  return item;
}

/** Reads a team; undefined when there is none. */
export function find(teamId: number): Promise<TeamItem | undefined> {
  return table.get<TeamItem>(keys.team(teamId));
}

/** The day from which a team's events are spread: the given one for a team that has none. */
export async function eventsSpreadSince(teamId: number, day: string): Promise<string> {
  const team = await find(teamId);
  if (!team || team.events_spread_since !== undefined) return team?.events_spread_since ?? '';
  const stored = await table.update<TeamItem>({
    Key: keys.team(teamId),
    UpdateExpression: 'SET events_spread_since = if_not_exists(events_spread_since, :day)',
    ExpressionAttributeValues: { ':day': day },
    ReturnValues: 'UPDATED_NEW',
  });
  return stored!.events_spread_since!;
}

/** The condition, for a transaction, that a team is not suspended. */
export function notSuspended(teamId: number): table.TransactionWrite {
  return {
    ConditionCheck: {
      Key: keys.team(teamId),
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(suspended_at)',
    },
  };
}

/** Puts a team on a plan. */
export async function setPlan(teamId: number, before: { plan: Plan }, plan: Plan, by: Actor): Promise<void> {
  const update = {
    Key: keys.team(teamId),
    UpdateExpression: 'SET #plan = :plan',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':plan': plan },
  };
  const change = changedFields({ plan: before.plan }, { plan });
  await table.transact([{ Update: update }, auditWrite(teamId, by, 'team.plan_changed', teamId, change)]);
}

/** Suspends a team or lifts its suspension; the first time stays when it was suspended before. */
export async function setSuspended(teamId: number, suspended: boolean, by: Actor): Promise<void> {
  const update = {
    Key: keys.team(teamId),
    UpdateExpression: suspended ? 'SET suspended_at = if_not_exists(suspended_at, :now)' : 'REMOVE suspended_at',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: suspended ? { ':now': timestamp() } : undefined,
  };
  const action = suspended ? 'team.suspended' : 'team.unsuspended';
  await table.transact([{ Update: update }, auditWrite(teamId, by, action, teamId)]);
}

/** Notes that there are bounces or complaints which no verdict on the team knows. */
export async function noteBadFeedback(teamId: number): Promise<void> {
  await table.writeIf({
    Key: keys.team(teamId),
    UpdateExpression: 'ADD bad_feedback :one',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':one': 1 },
  });
}

/** Notes a verdict on the team's last week. */
export async function noteVerdict(teamId: number, verdict: Verdict): Promise<void> {
  await table.writeIf({
    Key: keys.team(teamId),
    UpdateExpression: 'SET verdict = :verdict',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':verdict': verdict },
  });
}
