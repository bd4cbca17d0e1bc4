import { log, logFailure } from '../aws/log.ts';
import * as workflow from '../aws/workflow.ts';
import * as campaigns from '../data/campaigns/campaigns.ts';
import * as sendCounters from '../data/campaigns/send-counters.ts';
import * as sends from '../data/campaigns/sends.ts';
import * as tombstones from '../data/campaigns/tombstones.ts';
import * as due from '../data/due-jobs.ts';
import { purge as purgeSequence } from '../data/sequences/removal.ts';
import { purge as purgeWaitlist } from '../data/waitlists/writes.ts';
import { settledMs } from '../domain/campaigns/settling.ts';
import { ending, moves, plannedStart, working } from '../domain/campaigns/status.ts';
import { timestamp } from '../domain/time.ts';
import { endReason } from './campaigns/advance.ts';
import { executionName, fromTheFirstPage, rerun, resume } from './campaigns/launch.ts';
import { writeWithEvent } from './campaigns/publish-status.ts';
import { mendPages } from './campaigns/settle-page.ts';
import { purgeMembers } from './contacts/purge-members.ts';
import { continueErasure } from './erase-contact.ts';
import { recount } from './feedback/recount.ts';
import { accountLimits } from './messages/account-limits.ts';
import { publishDomainEvents } from './publish-domain-events.ts';
import { scheduleDueShards } from './sequences/schedule-shards.ts';
import { restartRetries } from './webhooks/deliver.ts';

const minute = 60_000;
/** A campaign that the quota paused goes on when less than this share of it is used (a negative quota is unlimited). */
const shareOfQuota = 0.95;
/** Due again at the next run, a minute from now. */
const nextRun = 5_000;

/** Jobs that may take minutes. */
const longJobs: readonly due.Job['kind'][] = ['purge', 'erase', 'settle', 'webhook'];

/** Queues due shards and runs due jobs until the deadline, the long ones last; the next run does the rest. */
export async function runDueJobs(deadline: number): Promise<void> {
  const scheduled = scheduleShards(deadline);
  await runJobs(deadline);
  await scheduled;
}

async function scheduleShards(deadline: number): Promise<void> {
  try {
    await scheduleDueShards(deadline);
  } catch (error) {
    logFailure('due sequences not read', error, {});
  }
}

async function runJobs(deadline: number): Promise<void> {
  const later: due.DueJob[] = [];
  for await (const job of due.dueNow()) {
    if (Date.now() > deadline) return;
    if (longJobs.includes(job.kind)) later.push(job);
    else await run(job, deadline);
  }
  for (const [index, job] of later.entries()) {
    const left = deadline - Date.now();
    if (left <= 0) return;
    await run(job, Date.now() + left / (later.length - index));
  }
}

async function run(job: due.DueJob, deadline: number): Promise<void> {
  try {
    const again = await runJob(job, deadline);
    await due.finish(job, again === undefined ? undefined : new Date(Date.now() + again));
  } catch (error) {
    logFailure('due job failed', error, job);
    await due.finish(job, new Date(Date.now() + minute));
  }
}

/** Runs one job; returns in how many milliseconds to run it again, undefined when it is done. */
async function runJob(job: due.DueJob, deadline: number): Promise<number | undefined> {
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
      return (await recount(job.team_id, job.campaign_id)) ? undefined : minute;
    case 'webhook':
      return restartRetries(job.team_id, job.webhook_id, deadline);
    case 'notices':
      return (await publishDomainEvents([job])) ? undefined : minute;
    case 'erase':
      return continueErasure(job, deadline);
    case 'purge':
      while (Date.now() < deadline) if (await purge(job)) return undefined;
      return 0;
  }
}

/** Removes some rows of a deleted record; true when none is left. */
function purge({ team_id, what, id }: Extract<due.Job, { kind: 'purge' }>): Promise<boolean> {
  switch (what) {
    case 'waitlist':
      return purgeWaitlist(team_id, id, 500);
    case 'sequence':
      return purgeSequence(team_id, id, 500);
    default:
      return purgeMembers(team_id, what, id, 500);
  }
}

/** Starts a new execution for a campaign that has work and whose execution is gone. */
async function restartStalled(teamId: number, campaignId: number): Promise<number | undefined> {
  const campaign = await campaigns.find(teamId, campaignId);
  if (!campaign || !hasWork(campaign)) return undefined;
  if (await workflow.isRunning(executionName(teamId, campaignId, campaign.run!))) return nextRun;
  log.warn('campaign without a workflow: started again', { team_id: teamId, campaign_id: campaignId });
  // The new run writes its own job; where the campaign changed since, there is none, and this one stays.
  return (await rerun(teamId, campaign, { states: [campaign.status] }, fromTheFirstPage)) ? undefined : nextRun;
}

/** Whether a run of the workflow has something to do now. */
function hasWork(campaign: campaigns.CampaignItem): boolean {
  const planned = plannedStart(campaign);
  return planned === undefined ? working.includes(campaign.status) : planned <= timestamp();
}

/** Starts the run of a campaign that was planned for this time; a plan that was changed since has its own job. */
async function startPlanned({ team_id, campaign_id, at }: Extract<due.Job, { kind: 'start' }>) {
  const campaign = await campaigns.find(team_id, campaign_id);
  if (!campaign || plannedStart(campaign) !== at) return undefined;
  return (await rerun(team_id, campaign, { states: [campaign.status] })) ? undefined : nextRun;
}

/** Settles what was unknown or under way when a campaign ended or was cancelled, with its counters and reservation. */
async function settle(
  { team_id, campaign_id, since }: Extract<due.Job, { kind: 'settle' }>,
  deadline: number,
): Promise<number | undefined> {
  const campaign = await campaigns.find(team_id, campaign_id);
  const tombstone = campaign ? undefined : await tombstones.find(team_id, campaign_id);
  if (!campaign && !tombstone) return undefined;
  if (campaign && campaign.status !== 'partial' && campaign.status !== 'cancelled') return undefined;
  const underWay = await mendPages(team_id, campaign ?? tombstone!, deadline);
  const counts = await sendCounters.counts(team_id, campaign_id);
  const cause = ending(counts);
  const outcome = { cause, failure_reason: endReason(cause, counts) };
  const done = campaign
    ? await settleCampaign(team_id, campaign, counts, underWay, outcome)
    : await sends.settledTombstone(team_id, tombstone!, counts, underWay);
  if (!done || underWay > 0) return minute;
  return counts.unknown === 0 || Date.now() - Date.parse(since) > settledMs ? undefined : 15 * minute;
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
async function resumeAfterQuota(teamId: number, campaignId: number): Promise<number | undefined> {
  const campaign = await campaigns.find(teamId, campaignId);
  if (campaign?.status !== 'paused' || campaign.paused_by !== 'quota') return undefined;
  const { max24HourSend, sentLast24Hours } = await accountLimits();
  if (max24HourSend >= 0 && sentLast24Hours >= max24HourSend * shareOfQuota) return 15 * minute;
  await resume(teamId, campaign);
  return undefined;
}
