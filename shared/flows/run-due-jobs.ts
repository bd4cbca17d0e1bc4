import { log } from '../aws/log.ts';
import { readAccount } from '../aws/mailer.ts';
import * as workflow from '../aws/workflow.ts';
import * as campaigns from '../data/campaigns/campaigns.ts';
import * as sendCounters from '../data/campaigns/send-counters.ts';
import * as sends from '../data/campaigns/sends.ts';
import * as tombstones from '../data/campaigns/tombstones.ts';
import * as due from '../data/due-jobs.ts';
import { purge as purgeSequence } from '../data/sequences/subscribers.ts';
import { purge as purgeWaitlist } from '../data/waitlists/writes.ts';
import { ending, moves, plannedStart, working } from '../domain/campaigns/status.ts';
import { timestamp } from '../domain/time.ts';
import { endReason } from './campaigns/advance.ts';
import { executionName, fromTheFirstPage, rerun, resume } from './campaigns/launch.ts';
import { writeWithEvent } from './campaigns/publish-status.ts';
import { mendPages } from './campaigns/settle-page.ts';
import { purgeMembers } from './contacts/purge-members.ts';
import { continueErasure } from './erase-contact.ts';
import { recount } from './feedback/recount.ts';
import { publishDomainEvents } from './publish-domain-events.ts';
import { scheduleDueShards } from './sequences/wake-shards.ts';
import { restartRetries } from './webhooks/deliver.ts';

const minute = 60_000;
/** A campaign that the quota paused goes on when less than this share of it is used (a negative quota is unlimited). */
const shareOfQuota = 0.95;
/** Due again when the reconciler runs next. */
const nextRound = 5_000;
/** After this long SES has given up on every message it accepted (MaxDeliverySeconds in lib/data-stack) and has said so. */
const settledMs = 5 * 60 * minute;

/** Duties that may go on for minutes. */
const longJobs: readonly due.Job['kind'][] = ['purge', 'erase', 'settle', 'webhook'];

/**
 * Sets the sequences going that are due, looks at every reminder that is due, and puts stalled work back; stops at the deadline, the rest is for
 * the next run. Long duties come after all others and share the time that is left.
 */
export async function runDueJobs(deadline: number): Promise<void> {
  const swept = sweepSequences(deadline);
  await remind(deadline);
  await swept;
}

async function sweepSequences(deadline: number): Promise<void> {
  try {
    await scheduleDueShards(deadline);
  } catch (error) {
    log.error('sequences not swept', { error: (error as Error).name });
  }
}

async function remind(deadline: number): Promise<void> {
  const later: due.DueJob[] = [];
  for await (const item of due.dueNow()) {
    if (Date.now() > deadline) return;
    if (longJobs.includes(item.kind)) later.push(item);
    else await run(item, deadline);
  }
  for (const [index, item] of later.entries()) {
    const left = deadline - Date.now();
    if (left <= 0) return;
    await run(item, Date.now() + left / (later.length - index));
  }
}

async function run(item: due.DueJob, deadline: number): Promise<void> {
  try {
    const again = await runJob(item, deadline);
    await due.finish(item, again === undefined ? undefined : new Date(Date.now() + again));
  } catch (error) {
    log.error('reminder failed', { kind: item.kind, team_id: item.team_id, error: (error as Error).name });
    await due.finish(item, new Date(Date.now() + minute));
  }
}

/** Does one duty; returns in how many milliseconds to look again, undefined when it is done. */
async function runJob(item: due.DueJob, deadline: number): Promise<number | undefined> {
  switch (item.kind) {
    case 'campaign':
      return restartStalled(item.team_id, item.campaign_id);
    case 'settle':
      return settle(item, deadline);
    case 'start':
      return startPlanned(item);
    case 'resume':
      return resumeAfterQuota(item.team_id, item.campaign_id);
    case 'recount':
      return (await recount(item.team_id, item.campaign_id)) ? undefined : minute;
    case 'webhook':
      return restartRetries(item.team_id, item.webhook_id, deadline);
    case 'notices':
      return (await publishDomainEvents([item])) ? undefined : minute;
    case 'erase':
      return continueErasure(item, deadline);
    case 'purge':
      while (Date.now() < deadline) if (await purge(item)) return undefined;
      return 0;
  }
}

/** Cleans up some of what a deleted record left behind; true when nothing is left. */
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

/** Gives a working campaign whose execution is gone a new one. */
async function restartStalled(teamId: number, campaignId: number): Promise<number | undefined> {
  const campaign = await campaigns.find(teamId, campaignId);
  if (!campaign || !hasWork(campaign)) return undefined;
  if (await workflow.isRunning(executionName(teamId, campaignId, campaign.run!))) return nextRound;
  log.warn('campaign without a workflow: started again', { team_id: teamId, campaign_id: campaignId });
  // The new run brings a reminder of its own; where the campaign moved meanwhile there is none, and this one stays.
  return (await rerun(teamId, campaign, { states: [campaign.status] }, fromTheFirstPage)) ? undefined : nextRound;
}

/** Whether a run of the workflow has something to do, or would wait for a moment that is planned. */
function hasWork(campaign: campaigns.CampaignItem): boolean {
  const planned = plannedStart(campaign);
  return planned === undefined ? working.includes(campaign.status) : planned <= timestamp();
}

/** Gives a campaign the run that was planned for this moment; a plan that was changed since has a reminder of its own. */
async function startPlanned({ team_id, campaign_id, at }: Extract<due.Job, { kind: 'start' }>) {
  const campaign = await campaigns.find(team_id, campaign_id);
  if (!campaign || plannedStart(campaign) !== at) return undefined;
  return (await rerun(team_id, campaign, { states: [campaign.status] })) ? undefined : nextRound;
}

/** Settles what was unknown or under way when a campaign ended or was cancelled; its status, counters and charge follow. */
async function settle(
  { team_id, campaign_id, since }: Extract<due.Job, { kind: 'settle' }>,
  deadline: number,
): Promise<number | undefined> {
  const campaign = await campaigns.find(team_id, campaign_id);
  const trace = campaign ? undefined : await tombstones.find(team_id, campaign_id);
  if (!campaign && !trace) return undefined;
  if (campaign && campaign.status !== 'partial' && campaign.status !== 'cancelled') return undefined;
  const underWay = await mendPages(team_id, campaign ?? trace!, deadline);
  const counts = await sendCounters.counts(team_id, campaign_id);
  const cause = ending(counts);
  const outcome = { cause, failure_reason: endReason(cause, counts) };
  const done = campaign
    ? await settleCampaign(team_id, campaign, counts, underWay, outcome)
    : await sends.settledTombstone(team_id, trace!, counts, underWay);
  if (!done || underWay > 0) return minute;
  return counts.unknown === 0 || Date.now() - Date.parse(since) > settledMs ? undefined : 15 * minute;
}

/** Brings a campaign that is over up to its counters, and tells of it where that gives it another status. */
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
  const { max24HourSend, sentLast24Hours } = await readAccount();
  if (max24HourSend >= 0 && sentLast24Hours >= max24HourSend * shareOfQuota) return 15 * minute;
  await resume(teamId, campaign);
  return undefined;
}
