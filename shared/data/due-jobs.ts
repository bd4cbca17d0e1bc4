import { createHash, randomUUID } from 'node:crypto';
import type { DomainEvent } from '../domain/domain-event.ts';
import { timestamp } from '../domain/time.ts';
import { keys, partitions } from './keys.ts';
import * as table from './table.ts';

const shards = 4;
const firstRunSeconds = 5;

/** What is to be done, and for which record. */
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

/** A job as it is stored: the reconciler runs it once it is due. */
export type DueJob = Job & { pk: string; sk: string };

/** A job as an item, for the transaction that begins its work; due at the reconciler's next run unless given a time. */
export function dueJob(job: Job, dueAt = new Date(Date.now() + firstRunSeconds * 1000)): DueJob {
  const about = [job.team_id, ...recordOf(job)];
  const shard = createHash('sha256').update(about.join()).digest()[0]! % shards;
  return { ...keys.due(shard, timestamp(dueAt), job.kind, about), ...job };
}

function recordOf(job: Job): (string | number)[] {
  if (job.kind === 'purge') return [job.what, job.id];
  if (job.kind === 'erase') return [job.contact_id];
  if (job.kind === 'webhook') return [job.webhook_id];
  if (job.kind === 'notices') return [randomUUID()];
  return job.kind === 'recount' ? [job.campaign_id, job.batch] : [job.campaign_id];
}

/** The job that starts a campaign, or decides its A/B test, at a given time. */
export function startJob(teamId: number, campaignId: number, at: string): DueJob {
  return dueJob({ kind: 'start', team_id: teamId, campaign_id: campaignId, at }, new Date(at));
}

/** Outbox events, for a change's transaction; unless the writer publishes them, the reconciler does after a minute. */
export function outboxEvent(teamId: number, events: DomainEvent[]): DueJob {
  const job: Job = { kind: 'notices', team_id: teamId, notices: events, at: timestamp() };
  return dueJob(job, new Date(Date.now() + 60_000));
}

/** The write of a job, for a transaction. */
export const jobWrite = (item: DueJob): table.TransactionWrite => ({ Put: { Item: item } });

/** Schedules a job. */
export async function schedule(job: Job, dueAt?: Date): Promise<DueJob> {
  const item = dueJob(job, dueAt);
  await table.put({ Item: item });
  return item;
}

/** Every job that is due now, oldest first in each shard. */
export async function* dueNow(): AsyncGenerator<DueJob> {
  for (let shard = 0; shard < shards; shard++) {
    yield* table.queryAll<DueJob>({
      ...table.within(partitions.due(shard), { between: [' ', `${timestamp()}~`] }),
      ConsistentRead: true,
    });
  }
}

/** Removes a job that is done, or schedules it anew at `again`. */
export async function finish(item: DueJob, again?: Date): Promise<void> {
  if (again) {
    const { pk: _pk, sk: _sk, ...job } = item;
    await schedule(job, again);
  }
  await table.remove({ Key: { pk: item.pk, sk: item.sk } });
}
