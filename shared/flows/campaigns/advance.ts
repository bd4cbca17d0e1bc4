import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as sendCounters from '../../data/campaigns/send-counters.ts';
import * as sends from '../../data/campaigns/sends.ts';
import { shareOfAccountRate } from '../../data/messages/send-rate.ts';
import * as sendShare from '../../data/messages/send-share.ts';
import { systemActor } from '../../domain/actor.ts';
import type { Tally } from '../../domain/campaigns/recipient-ledger.ts';
import { type Outcome, tripped } from '../../domain/campaigns/reputation.ts';
import { openForUnknownSeconds } from '../../domain/campaigns/settling.ts';
import { ending, moves, plannedStart } from '../../domain/campaigns/status.ts';
import { pageSize } from '../../domain/events/place.ts';
import { timestamp } from '../../domain/time.ts';
import { accountLimits } from '../messages/account-limits.ts';
import { senderVerified } from '../messages/sender-verified.ts';
import { awaitReactions, changeInPhase, decide } from './ab-test.ts';
import { forgetImport, importAudience, type Query } from './import-audience.ts';
import { startScheduled } from './launch.ts';
import { writeWithEvent } from './publish-status.ts';
import { moveRow } from './request-move.ts';
import { screen } from './screen.ts';
import { noteSend } from './sending-record.ts';
import { snapshotAudience } from './snapshot-audience.ts';
import { sweepPages } from './sweep-pages.ts';

/** What the workflow does next. */
export type Next =
  | { next: 'continue' | 'done' }
  | { next: 'wait'; wait_seconds: number }
  | { next: 'query'; query: Query };

/** Seconds without progress after which the pages are swept again; doubled with every sweep in vain. */
const stallSeconds = 45;
/** Ends a run long before its execution has 25,000 history events; its job starts the next. */
const maxRunSeconds = 3 * 3_600;
const lostSeconds = 15 * 60;
/** How far ahead a team's pages are queued, and how much of that is left when the next ones are. */
const fullSeconds = 60;
const lowSeconds = 15;
const maxWaitSeconds = 300;

const secondsSince = (at: string): number => (Date.now() - Date.parse(at)) / 1000;

/** Does the next bounded piece of work on a campaign. It may run twice, concurrently, or be cut off anywhere. */
export async function advance(teamId: number, campaignId: number, run: number, deadline: number): Promise<Next> {
  const campaign = await campaigns.find(teamId, campaignId);
  // Another run has taken over, for example after a pause.
  if (campaign?.run !== run) return { next: 'done' };
  if (campaign.run_started_at && secondsSince(campaign.run_started_at) > maxRunSeconds) return { next: 'done' };
  switch (campaign.status) {
    case 'scheduled':
      if (!isDue(campaign)) return { next: 'done' };
      await startScheduled(teamId, campaign);
      return { next: 'continue' };
    case 'screening':
      if (campaign.audience_source === 'warehouse') await forgetImport(teamId, campaign.id);
      await screen(teamId, campaign, deadline);
      return { next: 'continue' };
    case 'queuing':
      if (campaign.audience_source === 'warehouse') {
        const imported = await importAudience(teamId, campaign, deadline);
        if (typeof imported === 'object') return { next: 'query', query: imported };
        if (imported === 'going on') return { next: 'continue' };
      }
      await snapshotAudience(teamId, campaign, deadline);
      return { next: 'continue' };
    case 'sending':
      return send(teamId, campaign, deadline);
    default:
      return { next: 'done' };
  }
}

/** Whether a campaign's planned time has come; true without one. */
const isDue = (campaign: campaigns.CampaignItem): boolean => (plannedStart(campaign) ?? '') <= timestamp();

async function send(teamId: number, campaign: campaigns.CampaignItem, deadline: number): Promise<Next> {
  // No run waits for days: the job starts another one.
  if (!isDue(campaign)) return { next: 'done' };
  const at = timestamp();
  const counts = await sendCounters.counts(teamId, campaign.id);
  const accounted = counts.sent + counts.failed + counts.suppressed + counts.unknown;
  const unsent = campaign.total_recipients - accounted;
  const outcome = await noteSend(teamId, campaign, { sent: counts.sent, at });
  if (unsent > 0 && (await pauseForReputation(teamId, campaign, outcome))) return { next: 'done' };
  if (campaign.test?.phase === 'waiting') {
    await decide(teamId, campaign, accounted - counts.unknown);
    return { next: 'continue' };
  }
  if (campaign.sweep || !campaign.sweeps) return dispatch(teamId, campaign, accounted, deadline);
  const left = leftToSend(campaign, accounted);
  if (left === 0 && (counts.unknown === 0 || secondsSince(campaign.progress!.at) > openForUnknownSeconds)) {
    if (campaign.test?.phase === 'test') await awaitReactions(teamId, campaign);
    else {
      await noteSend(teamId, { ...campaign, ended_at: timestamp() }, { sent: counts.sent, at });
      await end(teamId, campaign, counts);
    }
    return { next: 'continue' };
  }
  const known = accounted - counts.unknown;
  if (known !== campaign.progress!.accounted) {
    const progress = { accounted: known, at: timestamp() };
    await changeInPhase(teamId, campaign, { progress, sweeps: 1 });
    const { maxSendRate } = await accountLimits();
    return wait(Math.max(left / (maxSendRate * shareOfAccountRate), untilQueued(campaign)));
  }
  const patience = Math.min(3_600, stallSeconds * 2 ** (campaign.sweeps - 1));
  const stalled = Math.min(secondsSince(campaign.progress!.at), -untilQueued(campaign));
  if (stalled < patience) return wait(stalled < 0 ? -stalled : stalled < 5 ? 1 : Math.min(60, patience - stalled + 1));
  const sweep = { after: '', queued: 0, base: accounted };
  await changeInPhase(teamId, campaign, { sweep });
  return { next: 'continue' };
}

/** How many recipients are still to be sent to, in an A/B test to its test group, when so many have a final status. */
const leftToSend = ({ test, total_recipients }: campaigns.CampaignItem, accounted: number): number =>
  (test?.phase === 'test' ? test.size : total_recipients) - accounted;

/**
 * For how long pages of a campaign that is sending have been due in its present run, in milliseconds; 0 without such.
 * How often they were put back does not matter.
 */
export async function pagesDueMs(teamId: number, campaign: campaigns.CampaignItem): Promise<number> {
  const { test, due_since, queued_until, progress, run_started_at } = campaign;
  const since = [due_since ?? queued_until ?? progress!.at, run_started_at ?? ''].sort()[1]!;
  const lateMs = Date.now() - Date.parse(since);
  if (lateMs <= 0 || test?.phase === 'waiting') return 0;
  const { sent, failed, suppressed, unknown } = await sendCounters.counts(teamId, campaign.id);
  return leftToSend(campaign, sent + failed + suppressed + unknown) > 0 ? lateMs : 0;
}

function end(teamId: number, campaign: campaigns.CampaignItem, counts: Tally): Promise<boolean> {
  const cause = ending(counts);
  const outcome = { cause, failure_reason: endReason(cause, counts) };
  return writeWithEvent(teamId, campaign.id, moves[cause].to, (outbox) =>
    sends.end(teamId, campaign, counts, outcome, outbox),
  );
}

/** Pauses a send whose bounces or complaints exceed the limits; returns whether it did. */
async function pauseForReputation(
  teamId: number,
  campaign: campaigns.CampaignItem,
  outcome: Outcome,
): Promise<boolean> {
  const fault = tripped(outcome, campaign.total_recipients, campaign.watched_from);
  if (!fault) return false;
  const paused = { paused_by: 'reputation', failure_reason: `paused to protect your reputation: ${fault}` } as const;
  const row = moveRow(teamId, campaign, systemActor(), { move: 'pause' });
  return (await campaigns.move(teamId, campaign.id, 'pause', paused, { run: campaign.run }, [row])) !== undefined;
}

/** Pauses a send whose sending domain was removed, or lost its records, after the gates; returns whether it did. */
async function pauseWithoutDomain(teamId: number, campaign: campaigns.CampaignItem): Promise<boolean> {
  if (await senderVerified(teamId, campaign.from_email)) return false;
  const failure_reason = 'sending_domain_unverified';
  const row = moveRow(teamId, campaign, systemActor(), { move: 'pause' });
  const seen = { run: campaign.run };
  return (await campaigns.move(teamId, campaign.id, 'pause', { failure_reason }, seen, [row])) !== undefined;
}

/** Seconds until the last page that was queued is to be sent; negative after it. */
const untilQueued = ({ queued_until, progress }: campaigns.CampaignItem): number =>
  -secondsSince(queued_until ?? progress!.at);

/** A wait that lets the reputation, and the end of what went faster, be noticed. */
const wait = (seconds: number): Next => ({
  next: 'wait',
  wait_seconds: Math.max(1, Math.ceil(Math.min(maxWaitSeconds, seconds))),
});

/** Queues the next pages, what the team can send in a minute at its share of the account's rate. */
async function dispatch(
  teamId: number,
  campaign: campaigns.CampaignItem,
  accounted: number,
  deadline: number,
): Promise<Next> {
  const account = await accountLimits();
  const perSecond = account.maxSendRate * shareOfAccountRate;
  let current: campaigns.CampaignItem | undefined = campaign;
  for (let step = 0; current && (current.sweep || !current.sweeps); step++) {
    const share = await sendShare.find(teamId);
    const sweep = current.sweep ?? { after: '', queued: 0, base: accounted };
    // Recipients who are sent to again were accounted for before: they count while they are pending.
    const unsent = Math.min(sweep.queued - (accounted - sweep.base), campaign.total_recipients - accounted);
    const aheadSeconds = Math.max(((share.freeAt ?? 0) - Date.now()) / 1_000, unsent / perSecond);
    const enough = step === 0 ? lowSeconds : fullSeconds - (pageSize * share.teams) / perSecond;
    if (aheadSeconds > enough || Date.now() > deadline) {
      await watchDispatch(teamId, current, accounted);
      return wait(aheadSeconds - lowSeconds);
    }
    if (step === 0 && (await pauseWithoutDomain(teamId, current))) return { next: 'done' };
    current = await sweepPages(teamId, current, sweep, share, account, fullSeconds - aheadSeconds);
  }
  return { next: 'continue' };
}

/** Sweeps the pages again after a quarter of an hour without progress: queue messages may be lost. */
async function watchDispatch(teamId: number, campaign: campaigns.CampaignItem, accounted: number): Promise<void> {
  const { progress } = campaign;
  const moved = progress!.accounted !== accounted;
  if (!moved && secondsSince(progress!.at) < lostSeconds) return;
  const noted = {
    progress: { accounted, at: timestamp() },
    ...(!moved && { sweep: { after: '', queued: 0, base: accounted } }),
  };
  await changeInPhase(teamId, campaign, noted);
}

/** The failure reason of an ended campaign; null when all recipients were reached. */
export function endReason(cause: ReturnType<typeof ending>, { failed, unknown }: Tally): string | null {
  if (cause === 'endSent') return null;
  const parts = [
    failed > 0 && `${failed} recipients failed`,
    unknown > 0 && `${unknown} recipients unknown: the provider never said`,
  ];
  return parts.filter(Boolean).join('; ');
}
