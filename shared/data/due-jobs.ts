import { createHash, randomUUID } from 'node:crypto';
import type { DomainEvent } from '../domain/domain-event.ts';
import { timestamp } from '../domain/time.ts';
import { keys, partitions } from './keys.ts';
import * as table from './table.ts';

const shards = 4;
const firstLookSeconds = 5;

/** What a reminder is for. */
export type Job =
  | { kind: 'campaign'; team_id: number; campaign_id: number }
  | { kind: 'start'; team_id: number; campaign_id: number; at: string }
  | { kind: 'settle'; team_id: number; campaign_id: number; since: string }
  | { kind: 'resume'; team_id: number; campaign_id: number }
  | { kind: 'recount'; team_id: number; campaign_id: number; batch: string }
  | { kind: 'purge'; team_id: number; what: 'list' | 'tag' | 'waitlist' | 'sequence'; id: number }
  | { kind: 'erase'; team_id: number; contact_id: number; email: string; at: string }
  | { kind: 'webhook'; team_id: number; webhook_id: number }
  | { kind: 'notices'; team_id: number; notices: DomainEvent[]; at: string };

/** A reminder: work that the reconciler looks at once it is due. */
export type DueJob = Job & { pk: string; sk: string };

/** The reminder as an item, for a transaction that begins the work it stands for; due in seconds, that is at the reconciler's next round, unless said otherwise. */
export function dueJob(duty: Job, dueAt = new Date(Date.now() + firstLookSeconds * 1000)): DueJob {
  const about = [duty.team_id, ...recordOf(duty)];
  const shard = createHash('sha256').update(about.join()).digest()[0]! % shards;
  return { ...keys.due(shard, timestamp(dueAt), duty.kind, about), ...duty };
}

function recordOf(duty: Job): (string | number)[] {
  if (duty.kind === 'purge') return [duty.what, duty.id];
  if (duty.kind === 'erase') return [duty.contact_id];
  if (duty.kind === 'webhook') return [duty.webhook_id];
  if (duty.kind === 'notices') return [randomUUID()];
  return duty.kind === 'recount' ? [duty.campaign_id, duty.batch] : [duty.campaign_id];
}

/** The reminder that a campaign is to be started, or its A/B test decided, at a moment. */
export function startJob(teamId: number, campaignId: number, at: string): DueJob {
  return dueJob({ kind: 'start', team_id: teamId, campaign_id: campaignId, at }, new Date(at));
}

/** Notices on their way, for the transaction of what they tell: who wrote them publishes them; after a minute the reconciler does. */
export function outboxEvent(teamId: number, notices: DomainEvent[]): DueJob {
  return dueJob({ kind: 'notices', team_id: teamId, notices, at: timestamp() }, new Date(Date.now() + 60_000));
}

/** The write of a reminder, for a transaction. */
export const jobWrite = (item: DueJob): table.TransactionWrite => ({ Put: { Item: item } });

/** Writes a reminder. */
export async function schedule(duty: Job, dueAt?: Date): Promise<DueJob> {
  const item = dueJob(duty, dueAt);
  await table.put({ Item: item });
  return item;
}

/** Every reminder that is due now, oldest first in each shard. */
export async function* dueNow(): AsyncGenerator<DueJob> {
  for (let shard = 0; shard < shards; shard++) {
    yield* table.queryAll<DueJob>({
      KeyConditionExpression: 'pk = :pk AND sk <= :now',
      ExpressionAttributeValues: { ':pk': partitions.due(shard), ':now': `${timestamp()}~` },
      ConsistentRead: true,
    });
  }
}

/** Takes a reminder off, or moves it to `again`. */
export async function finish(item: DueJob, again?: Date): Promise<void> {
  if (again) {
    const { pk: _pk, sk: _sk, ...duty } = item;
    await schedule(duty, again);
  }
  await table.remove({ Key: { pk: item.pk, sk: item.sk } });
}
