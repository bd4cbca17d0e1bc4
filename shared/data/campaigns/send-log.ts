import type { Outcome } from '../../domain/campaigns/reputation.ts';
import { epochSeconds } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** A campaign that has a snapshot, deleted or not, with its outcome when it was last noted. */
export interface LoggedSend extends Key, Outcome {
  id: number;
  /** When the counters were read. */
  noted_at: string;
  /** No message was sent after this; absent where that is not known. */
  ended_at?: string;
  ttl: number;
}

/** The log is read for a week. */
const keptSeconds = 30 * 86_400;

/** What the log is about as a whole. */
interface LogHead {
  /** How far the campaigns from before there was a log are noted: the last of them, or all. */
  noted: number | 'all';
}

/** What a note says of a send; it began at `frozen_at`. */
export interface SendNote extends Outcome {
  id: number;
  frozen_at: string;
  ended_at?: string;
}

/** Notes the outcome of a send as it was at a time, unless a later one is noted; idempotent. */
export async function note(teamId: number, { frozen_at, ...send }: SendNote, at: string): Promise<void> {
  const { ended_at, ...kept } = send;
  const Key = keys.loggedSend(teamId, frozen_at, send.id);
  const before = { ended_at: ended_at === undefined ? null : undefined };
  const stale = 'attribute_not_exists(noted_at) OR noted_at <= :noted_at';
  await table.writeIf({
    Key,
    ...table.changes(before, { ...kept, ended_at, noted_at: at, ttl: epochSeconds() + keptSeconds }, stale),
  });
}

/** The team's sends that began since a time, newest first, at most `max`. */
export async function since(teamId: number, low: string, max: number): Promise<LoggedSend[]> {
  const range = table.within(partitions.sendLog(teamId), { between: [low, '~'] });
  const found: LoggedSend[] = [];
  const rows = table.queryAll<LoggedSend>({ ...range, ScanIndexForward: false, ConsistentRead: true, Limit: max });
  for await (const row of rows) {
    found.push(row);
    if (found.length === max) break;
  }
  return found;
}

/** How far the sends from before there was a log are noted; undefined when none is. */
export async function notedUpTo(teamId: number): Promise<LogHead['noted'] | undefined> {
  return (await table.get<LogHead & Key>(keys.sendLog(teamId)))?.noted;
}

/** Notes how far the earlier sends are noted. */
export async function setNotedUpTo(teamId: number, noted: LogHead['noted']): Promise<void> {
  await table.writeIf({
    Key: keys.sendLog(teamId),
    UpdateExpression: 'SET noted = :noted',
    ConditionExpression: 'attribute_not_exists(noted) OR noted <> :all',
    ExpressionAttributeValues: { ':noted': noted, ':all': 'all' },
  });
}

/** The messages of the team's largest send that is over. */
export async function largest(teamId: number): Promise<number> {
  return (await table.get<{ largest?: number }>(keys.sendLog(teamId)))?.largest ?? 0;
}

/** Notes the messages of a send that is over, if it is the largest. */
export async function noteLargest(teamId: number, sent: number): Promise<void> {
  await table.writeIf({
    Key: keys.sendLog(teamId),
    UpdateExpression: 'SET largest = :sent',
    ConditionExpression: 'attribute_not_exists(largest) OR largest < :sent',
    ExpressionAttributeValues: { ':sent': sent },
  });
}
