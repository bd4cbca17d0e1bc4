import { log, logFailure, measure } from '../aws/log.ts';
import { type JobMessage, queueDomainEvents } from '../aws/queue.ts';
import * as workflow from '../aws/workflow.ts';
import * as campaigns from '../data/campaigns/campaigns.ts';
import * as sendCounters from '../data/campaigns/send-counters.ts';
import * as sends from '../data/campaigns/sends.ts';
import * as tombstones from '../data/campaigns/tombstones.ts';
import * as due from '../data/due-jobs.ts';
import { purge as purgeSequence } from '../data/sequences/removal.ts';
import * as apiKeys from '../data/teams/api-keys.ts';
import { revokeDescendants } from '../data/teams/key-families.ts';
import { purge as purgeWaitlist } from '../data/waitlists/writes.ts';
import { actorOf, systemActor } from '../domain/actor.ts';
import { settledMs } from '../domain/campaigns/settling.ts';
import { ending, moves, plannedStart, working } from '../domain/campaigns/status.ts';
import { isActive } from '../domain/teams/key-rights.ts';
import { timestamp } from '../domain/time.ts';
import { endReason, pagesDueMs } from './campaigns/advance.ts';
import { executionName, fromTheFirstPage, rerun, resume } from './campaigns/launch.ts';
import { writeWithEvent } from './campaigns/publish-status.ts';
import { noteOutcome } from './campaigns/sending-record.ts';
import { mendPages } from './campaigns/settle-page.ts';
import { purgeMembers, removeRecord } from './contacts/purge-members.ts';
import { continueErasure } from './erase-contact.ts';
import { recount } from './feedback/recount.ts';
import { queueLeased } from './hand-out-jobs.ts';
import { maySendHeld } from './hold-messages.ts';
import { accountLimits } from './messages/account-limits.ts';
import { publishDomainEvents } from './publish-domain-events.ts';
import { countReport } from './reports/count-rows.ts';
import { followMarks, sweepSequences } from './sequences/follow-marks.ts';
import { endClaim } from './teams/remove-domain.ts';
import { checkRetries } from './webhooks/retry-runs.ts';

type JobOf<K extends due.Job['kind']> = Extract<due.DueJob, { kind: K }>;

const minute = 60_000;
/** The pause after failures in a row grows up to this. */
const maxPauseMs = 15 * minute;
/** A campaign that the quota paused goes on when less than this share of it is used (a negative quota is unlimited). */
const shareOfQuota = 0.95;
/** Rows that a purge removes before it looks at the time. */
const purgedAtOnce = 200;
/** Due again at the next run of the reconciler, a minute from now. */
const nextRun = { afterMs: 5_000 };
const inAMinute = { afterMs: minute };

/** Runs a queued job, unless another worker has had it since; a job that fails is run again after a pause. */
export async function runJob(message: JobMessage, deadline: number): Promise<void> {
  const job = await due.claim(message);
  if (!job) return;
  try {
    const next = await work(job, deadline);
    if (!next) await due.finish(job);
    else if (next.afterMs > 0) await due.postpone(job, next.afterMs, { cursor: next.cursor });
    else await putBack(job, next.cursor);
  } catch (error) {
    logFailure('job failed', error, job);
    const failures = (job.failures ?? 0) + 1;
    await due.postpone(job, Math.min(maxPauseMs, minute * 2 ** (failures - 1)), { failures });
  }
}

/** Queues a job again, behind the jobs of other teams. */
async function putBack(job: due.DueJob, cursor: due.Cursor | undefined): Promise<void> {
  if (await due.postpone(job, due.queuedMs, { cursor })) await queueLeased([job]);
}

function work(job: due.DueJob, deadline: number): Promise<due.Next> {
  switch (job.kind) {
    case 'campaign':
      return restartStalled(job.team_id, job.campaign_id);
    case 'settle':
      return settle(job, deadline);
    case 'start':
      return startPlanned(job);
    case 'resume':
      return resumeAfterQuota(job.team_id, job.campaign_id);
    case 'recount':
      return recount(job, deadline);
    case 'report':
      return countReport(job, deadline);
    case 'revoke':
      return revokeDescendants(job.team_id, job.key_id, actorOf(job.by));
    case 'expiry':
      return tellOfExpiry(job);
    case 'webhook':
      return checkRetries(job, deadline);
    case 'claim':
      return endClaim(job.team_id, job.domain, job.at);
    case 'notices':
      return publish(job);
    case 'erase':
      return continueErasure(job, deadline);
    case 'steps':
      return followMarks(job, deadline);
    case 'sweep':
      return sweepSequences(job, deadline);
    case 'purge':
      return purge(job, deadline);
  }
}

/** Queues the domain events of a writer that did not, or whose messages were held until now. */
async function publish(job: JobOf<'notices'>): Promise<due.Next> {
  if (job.told && !(await maySendHeld(job))) return undefined;
  return (await publishDomainEvents([job])) ? undefined : inAMinute;
}

/** Queues the domain event of a key that expires soon, unless it is revoked. */
async function tellOfExpiry({ team_id, key_id, hash }: JobOf<'expiry'>): Promise<due.Next> {
  const key = await apiKeys.findByHash(hash);
  if (!key || !isActive(key)) return undefined;
  const event = { type: 'api_key.expiring', id: String(key_id), key_id } as const;
  await queueDomainEvents([{ team_id, notices: [event], at: timestamp() }]);
  return undefined;
}

/** Removes the rows of a deleted record. */
async function purge(job: JobOf<'purge'>, deadline: number): Promise<due.Next> {
  // The request that wrote the job may not have got that far.
  if (job.what === 'list' || job.what === 'tag') await removeRecord(job.team_id, job.what, job.id);
  do if (await purgeSome(job)) return undefined;
  while (Date.now() < deadline);
  return { afterMs: 0 };
}

/** Removes some rows of a deleted record; true when none is left. */
function purgeSome({ team_id, what, id }: JobOf<'purge'>): Promise<boolean> {
  switch (what) {
    case 'waitlist':
      return purgeWaitlist(team_id, id, purgedAtOnce);
    case 'sequence':
      return purgeSequence(team_id, id, purgedAtOnce);
    default:
      return purgeMembers(team_id, what, id, purgedAtOnce);
  }
}

/** Starts a new execution for a campaign that has work and whose execution is gone; measures how late its pages are. */
async function restartStalled(teamId: number, campaignId: number): Promise<due.Next> {
  const campaign = await campaigns.find(teamId, campaignId);
  if (!campaign || !hasWork(campaign)) return undefined;
  const ids = { team_id: teamId, campaign_id: campaignId };
  if (campaign.status === 'sending') measure('OldestDuePageAge', await pagesDueMs(teamId, campaign), ids);
  if (await workflow.isRunning(executionName(teamId, campaignId, campaign.run!))) return nextRun;
  log.warn('campaign without a workflow: started again', ids);
  // The new run writes its own job; where the campaign changed since, there is none, and this one stays.
  return (await rerun(teamId, campaign, { states: [campaign.status] }, fromTheFirstPage)) ? undefined : nextRun;
}

/** Whether a run of the workflow has something to do now. */
function hasWork(campaign: campaigns.CampaignItem): boolean {
  const planned = plannedStart(campaign);
  return planned === undefined ? working.includes(campaign.status) : planned <= timestamp();
}

/** Starts the run of a campaign that was planned for this time; a plan that was changed since has its own job. */
async function startPlanned({ team_id, campaign_id, at }: JobOf<'start'>): Promise<due.Next> {
  const campaign = await campaigns.find(team_id, campaign_id);
  if (!campaign || plannedStart(campaign) !== at) return undefined;
  return (await rerun(team_id, campaign, { states: [campaign.status] })) ? undefined : nextRun;
}

/** Settles what was unknown or under way when a campaign ended or was cancelled, with its counters and reservation. */
async function settle({ team_id, campaign_id, since, cursor }: JobOf<'settle'>, deadline: number): Promise<due.Next> {
  const campaign = await campaigns.find(team_id, campaign_id);
  const tombstone = campaign ? undefined : await tombstones.find(team_id, campaign_id);
  if (!campaign && !tombstone) return undefined;
  if (campaign && campaign.status !== 'partial' && campaign.status !== 'cancelled') return undefined;
  const { underWay, page } = await mendPages(team_id, campaign ?? tombstone!, cursor, deadline);
  if (page !== undefined) return { afterMs: 0, cursor: { page, underWay } };
  const counts = await sendCounters.counts(team_id, campaign_id);
  const cause = ending(counts);
  const outcome = { cause, failure_reason: endReason(cause, counts) };
  const done = campaign
    ? await settleCampaign(team_id, campaign, counts, underWay, outcome)
    : await sends.settledTombstone(team_id, tombstone!, counts, underWay);
  await noteOutcome(team_id, campaign_id);
  if (!done || underWay > 0) return inAMinute;
  return counts.unknown === 0 || Date.now() - Date.parse(since) > settledMs ? undefined : { afterMs: 15 * minute };
}

/** Writes the final counters of a campaign that is over, and publishes its status where that changes. */
function settleCampaign(...[teamId, campaign, counts, underWay, outcome]: Parameters<typeof sends.settled>) {
  const { to } = moves[outcome.cause];
  if (campaign.status === 'cancelled' || campaign.status === to)
    return sends.settled(teamId, campaign, counts, underWay, outcome);
  return writeWithEvent(teamId, campaign.id, to, (outbox) =>
    sends.settled(teamId, campaign, counts, underWay, outcome, outbox),
  );
}

/** Resumes a campaign that the provider's quota paused, once the account may send again. */
async function resumeAfterQuota(teamId: number, campaignId: number): Promise<due.Next> {
  const campaign = await campaigns.find(teamId, campaignId);
  if (campaign?.status !== 'paused' || campaign.paused_by !== 'quota') return undefined;
  const { max24HourSend, sentLast24Hours } = await accountLimits();
  if (max24HourSend >= 0 && sentLast24Hours >= max24HourSend * shareOfQuota) return { afterMs: 15 * minute };
  await resume(teamId, campaign, systemActor());
  return undefined;
}
