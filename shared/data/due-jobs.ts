import { createHash, randomUUID } from 'node:crypto';
import type { StoredActor } from '../domain/actor.ts';
import { type DomainEvent, type StoredEvents, storedEvents } from '../domain/domain-event.ts';
import { timestamp } from '../domain/time.ts';
import { type Key, keys, partitions } from './keys.ts';
import * as table from './table.ts';

const shards = 4;
const firstRunSeconds = 5;
/** A job that has been queued for this long is handed out again: its message may be lost. */
export const queuedMs = 3 * 60_000;
/** A job that has run for this long has lost its worker, which has 60 seconds. */
const runMs = 75_000;

/** Where the recount of a campaign's feedback goes on, and what it has counted up to there. */
export interface RecountCursor {
  walk: 'engagement' | 'deliveries';
  after?: string;
  counts: Record<string, number>;
  /** The version of the counters when the walk began; batches from before `since` had ended by then. */
  version: number;
  since: string;
}

/** Where the settling of a campaign goes on, and how many messages are under way before that. */
export interface SettleCursor {
  page: string;
  underWay: number;
}

/** Where a long job goes on. */
export type Cursor = string | RecountCursor | SettleCursor;

/** What is to be done, and for which record. */
export type Job =
  | { kind: 'campaign'; team_id: number; campaign_id: number }
  | { kind: 'start'; team_id: number; campaign_id: number; at: string }
  | { kind: 'settle'; team_id: number; campaign_id: number; since: string; cursor?: SettleCursor }
  | { kind: 'resume'; team_id: number; campaign_id: number }
  // With a `batch` it was written by an earlier version.
  | { kind: 'recount'; team_id: number; campaign_id: number; batch?: string; cursor?: RecountCursor }
  // With an object as its cursor it was written by an earlier version.
  | { kind: 'report'; team_id: number; campaign_id: number; cursor?: string | object }
  | { kind: 'purge'; team_id: number; what: 'list' | 'tag' | 'waitlist' | 'sequence'; id: number }
  | { kind: 'erase'; team_id: number; contact_id: number; email: string; at: string; cursor?: string }
  // Without `by` it was written by an earlier version.
  | { kind: 'revoke'; team_id: number; key_id: number; by?: StoredActor }
  | { kind: 'expiry'; team_id: number; key_id: number; hash: string }
  | { kind: 'webhook'; team_id: number; webhook_id: number }
  | { kind: 'claim'; team_id: number; domain: string; at: string }
  // With `told` they are held: of them only service messages are left, without addresses.
  | { kind: 'notices'; team_id: number; notices: StoredEvents; at: string; told?: true }
  | { kind: 'sweep' | 'steps'; shard: number; cursor?: string };

/** When a job goes on, in milliseconds from now (0: at once), and from where; undefined when it is done. */
export type Next = { afterMs: number; cursor?: Cursor } | undefined;

/** A job as it is stored. */
export type DueJob = Job & {
  pk: string;
  sk: string;
  /** Until then it is queued, runs or waits. */
  not_before?: string;
  /** The token of the worker that runs it, or was the last to run it. */
  worker?: string;
  /** How often in a row it has failed. */
  failures?: number;
  /** Since when it has been due without success; neither a lease nor a failure changes it. */
  due_since?: string;
};

/** A job as an item, for the transaction that begins its work; due at the reconciler's next run unless given a time. */
export function dueJob(job: Job, dueAt = new Date(Date.now() + firstRunSeconds * 1000)): DueJob {
  const about = 'team_id' in job ? [job.team_id, ...recordOf(job)] : recordOf(job);
  const shard = createHash('sha256').update(about.join()).digest()[0]! % shards;
  return { ...keys.due(shard, timestamp(dueAt), job.kind, about), ...job };
}

function recordOf(job: Job): (string | number)[] {
  switch (job.kind) {
    case 'purge':
      return [job.what, job.id];
    case 'erase':
      return [job.contact_id];
    case 'webhook':
      return [job.webhook_id];
    case 'claim':
      return [job.domain];
    case 'revoke':
    case 'expiry':
      return [job.key_id];
    case 'notices':
      return [randomUUID()];
    case 'sweep':
    case 'steps':
      return [job.shard];
    default:
      return [job.campaign_id];
  }
}

/** The job that starts a campaign, or decides its A/B test, at a given time. */
export function startJob(teamId: number, campaignId: number, at: string): DueJob {
  return dueJob({ kind: 'start', team_id: teamId, campaign_id: campaignId, at }, new Date(at));
}

/** Outbox events, for a change's transaction; unless the writer publishes them, a job does after a minute. */
export function outboxEvent(teamId: number, events: DomainEvent[]): DueJob {
  const job: Job = { kind: 'notices', team_id: teamId, notices: storedEvents(events), at: timestamp() };
  return dueJob(job, new Date(Date.now() + 60_000));
}

/** The write of a job, for a transaction. */
export const jobWrite = (item: DueJob): table.TransactionWrite => ({ Put: { Item: item } });

/** Schedules a job, with another write unless that is refused; one of the same kind, record and time is replaced. */
export async function schedule(job: Job, dueAt?: Date, beside?: table.TransactionWrite): Promise<DueJob> {
  const item = dueJob(job, dueAt);
  if (!beside || !(await table.transactIf([jobWrite(item), beside]))) await table.put({ Item: item });
  return item;
}

/** Stores jobs that never end, those that are not stored. Reads first: a write that is refused costs as much as one. */
export async function keep(jobs: readonly Job[]): Promise<void> {
  const items = jobs.map((job) => ({ ...dueJob(job, new Date(0)), not_before: timestamp() }));
  const stored = await table.batchGet(items.map(({ pk, sk }) => ({ pk, sk })));
  await Promise.all(items.map((item, index) => stored[index] ?? table.putNew(item)));
}

/** Since when a job that is due has been so: its time is how its sort key begins. */
const dueSince = ({ sk, not_before = '', due_since }: DueJob): string => {
  const [planned = ''] = sk.split('#');
  return due_since ?? (planned > not_before ? planned : not_before);
};

/** For how long a job that is due has been so, in milliseconds. */
export const dueForMs = (job: DueJob): number => Date.now() - Date.parse(dueSince(job));

/** The jobs that are due and neither queued nor running, oldest first: one source of pages per shard. */
export function dueNow(): AsyncGenerator<DueJob[]>[] {
  return Array.from({ length: shards }, (_, shard) => dueIn(shard));
}

async function* dueIn(shard: number): AsyncGenerator<DueJob[]> {
  const now = timestamp();
  const range = table.within(partitions.due(shard), { between: [' ', `${now}~`] });
  let next: Record<string, unknown> | undefined;
  do {
    const page: Awaited<ReturnType<typeof table.query<DueJob>>> = await table.query<DueJob>({
      ...range,
      FilterExpression: free,
      ExpressionAttributeValues: { ...range.ExpressionAttributeValues, ':now': now },
      ConsistentRead: true,
      ExclusiveStartKey: next,
    });
    yield page.items;
    next = page.next;
  } while (next);
}

const free = '(attribute_not_exists(not_before) OR not_before <= :now)';

/** The conditional write of a job: it is stored, and no worker has had it since it was read. */
function ifAsRead({ pk, sk, worker }: Key & { worker?: string }, values: Record<string, string> = {}, condition = '') {
  const read = worker === undefined ? 'attribute_exists(pk) AND attribute_not_exists(worker)' : 'worker = :read';
  const all = { ...values, ...(worker !== undefined && { ':read': worker }) };
  return {
    Key: { pk, sk },
    ConditionExpression: read + condition,
    ...(Object.keys(all).length > 0 && { ExpressionAttributeValues: all }),
  };
}

const fromNow = (ms: number): string => timestamp(Date.now() + ms);

/** Leases a due job for the queue; false when it was leased, taken or removed since it was read. */
export async function lease(job: DueJob): Promise<boolean> {
  const values = { ':until': fromNow(queuedMs), ':now': timestamp(), ':since': dueSince(job) };
  const UpdateExpression = 'SET not_before = :until, due_since = if_not_exists(due_since, :since)';
  try {
    await table.update({ ...ifAsRead(job, values, ` AND ${free}`), UpdateExpression });
    return true;
  } catch (error) {
    if (!table.conditionFailed(error)) throw error;
    // The lease may be this call's own, whose answer was lost: a second message for a job does nothing.
    return table.retried(error);
  }
}

/** Ends the lease of a job that could not be queued: it is due again. */
export const release = (job: DueJob): Promise<boolean> =>
  table.writeIf({ ...ifAsRead(job), UpdateExpression: 'REMOVE not_before' });

/** Takes a queued job; undefined when a worker has had it since it was queued, or it was removed. */
export async function claim(queued: Key & { worker?: string }): Promise<DueJob | undefined> {
  const worker = randomUUID();
  const claimed = await table.updateIf<DueJob>({
    ...ifAsRead(queued, { ':worker': worker, ':until': fromNow(runMs) }),
    UpdateExpression: 'SET worker = :worker, not_before = :until',
  });
  if (claimed) return claimed;
  const stored = await table.get<DueJob>({ pk: queued.pk, sk: queued.sk });
  return stored?.worker === worker ? stored : undefined;
}

/** Removes a job that is done, unless another worker has taken it or it was scheduled anew. */
export const finish = (job: DueJob): Promise<boolean> => table.removeIf(ifAsRead(job));

/** Lets a job wait, with what changes in it; false when another worker has taken it or it was scheduled anew. */
export function postpone(job: DueJob, ms: number, change: { cursor?: Cursor; failures?: number }): Promise<boolean> {
  const { Key, ConditionExpression, ExpressionAttributeValues } = ifAsRead(job);
  const due_since = change.failures === undefined ? undefined : job.due_since;
  const after = { ...job, failures: undefined, due_since, ...change, not_before: fromNow(ms) };
  return table.writeIf({ Key, ...table.changes(job, after, ConditionExpression, ExpressionAttributeValues) });
}
