import { logFailure, measure } from '../aws/log.ts';
import { type JobMessage, queueJobs } from '../aws/queue.ts';
import { makeDataKeys } from '../data/data-keys.ts';
import * as due from '../data/due-jobs.ts';
import { listShards } from '../data/sequences/sequences.ts';
import { concurrently } from '../domain/concurrently.ts';

/** Jobs that one call queues. */
const batchSize = 10;
/** Batches of a shard that are handed out at once. */
const concurrency = 4;
/** Jobs of a team that one run hands out: a team with very many does not delay the others'. */
const maxOfTeam = 500;

/**
 * Queues the jobs that are due; those that are left at the deadline are due at the next run. Measures in every run for
 * how long the first of them has been due: where no measurement comes, the schedule has stopped.
 */
export async function handOutJobs(deadline: number): Promise<void> {
  await makeDataKeys().catch((error) => logFailure('data keys not made', error, {}));
  const kinds = ['sweep', 'steps'] as const;
  const shardsOfLists = Array.from({ length: listShards }, (_, shard) => shard);
  await due.keep(shardsOfLists.flatMap((shard) => kinds.map((kind) => ({ kind, shard }))));
  let oldest: { job?: due.DueJob; ms: number } = { ms: 0 };
  const ofTeams = new Map<number, number>();
  const mayGo = (job: due.DueJob) => {
    if (!('team_id' in job)) return true;
    const count = (ofTeams.get(job.team_id) ?? 0) + 1;
    ofTeams.set(job.team_id, count);
    return count <= maxOfTeam;
  };
  const note = (page: due.DueJob[]) => {
    for (const job of page) if (due.dueForMs(job) > oldest.ms) oldest = { job, ms: due.dueForMs(job) };
    return page.filter(mayGo);
  };
  const shards = await Promise.allSettled(due.dueNow().map((pages) => handOutShard(pages, note, deadline)));
  for (const outcome of shards) if (outcome.status === 'rejected') throw outcome.reason;
  measure('OldestDueJobAge', oldest.ms, oldest.job);
}

async function handOutShard(
  pages: AsyncGenerator<due.DueJob[]>,
  note: (page: due.DueJob[]) => due.DueJob[],
  deadline: number,
): Promise<void> {
  for await (const page of pages) {
    const jobs = note(page);
    const starts = Array.from({ length: Math.ceil(jobs.length / batchSize) }, (_, index) => index * batchSize);
    await concurrently(starts, concurrency, async (start) => {
      if (Date.now() < deadline) await handOut(jobs.slice(start, start + batchSize));
    });
    if (Date.now() >= deadline) return;
  }
}

async function handOut(jobs: readonly due.DueJob[]): Promise<void> {
  try {
    const leased = await Promise.all(jobs.map(async (job) => ((await due.lease(job)) ? [job] : [])));
    await queueLeased(leased.flat());
  } catch (error) {
    logFailure('due jobs not leased', error, jobs[0]!);
  }
}

/** Queues up to ten leased jobs; one that cannot be queued is due again. */
export async function queueLeased(jobs: readonly due.DueJob[]): Promise<void> {
  if (jobs.length === 0) return;
  let refused = jobs;
  try {
    const places = await queueJobs(jobs.map(messageOf));
    refused = places.map((place) => jobs[place]!);
  } catch (error) {
    logFailure('due jobs not queued', error, jobs[0]!, 'warn');
  }
  await Promise.all(refused.map(due.release));
}

function messageOf(job: due.DueJob): JobMessage {
  const { kind, pk, sk, worker } = job;
  return { ...('team_id' in job && { team_id: job.team_id }), kind, pk, sk, worker };
}
