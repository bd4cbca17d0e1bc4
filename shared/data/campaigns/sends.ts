import { assignVariants, type Split, sliceSize } from '../../domain/campaigns/ab-test.ts';
import type { Tally } from '../../domain/campaigns/recipient-ledger.ts';
import type { ending, Move } from '../../domain/campaigns/status.ts';
import { pageSize } from '../../domain/events/place.ts';
import { allowancePeriod, type Plan } from '../../domain/teams/plans.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { queuedEvents } from '../events/rows.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';
import * as teams from '../teams/teams.ts';
import * as usage from '../teams/usage.ts';
import * as campaigns from './campaigns.ts';
import { leaseSeconds } from './page-results.ts';
import { type Recipient, recipientPageItem } from './recipients.ts';
import type { Tombstone } from './tombstones.ts';

/** How far the snapshot of an audience is. */
export type SnapshotCursor = NonNullable<campaigns.CampaignItem['freeze']>;

/** How long a worker that has read a campaign as `sending` may still claim a page: its function's timeout. */
const lateClaimSeconds = 60;

/** How a campaign's audience is split; undefined without an A/B test. */
function splitOf(teamId: number, campaign: campaigns.CampaignItem): Split | undefined {
  const { id, ab_test_enabled, ab_test_percentage, variants = [] } = campaign;
  if (!ab_test_enabled || variants.length === 0) return undefined;
  return { seed: `${teamId}/${id}`, percentage: ab_test_percentage!, variants: variants.length };
}

/** Schedules a campaign, with the job that starts it and other writes; false when it changed since it was read. */
export function schedule(
  teamId: number,
  { id, updated_at }: campaigns.CampaignItem,
  at: string,
  marker: Partial<campaigns.CampaignItem>,
  others: readonly table.TransactionWrite[],
): Promise<boolean> {
  const attributes = { ...marker, scheduled_at: at };
  return table.transactIf([
    { Update: campaigns.moving(teamId, id, 'schedule', attributes, { updated_at }) },
    { Put: { Item: due.startJob(teamId, id, at) } },
    ...others,
  ]);
}

/** Writes recipient pages and moves the cursor to `after`; undefined when another worker has moved it. */
export async function addPages(
  teamId: number,
  campaign: campaigns.CampaignItem,
  from: SnapshotCursor | undefined,
  recipients: readonly Recipient[],
  after: string,
): Promise<SnapshotCursor | undefined> {
  const { id } = campaign;
  const split = splitOf(teamId, campaign);
  const { pages: pagesBefore, recipients: before } = from ?? { pages: 0, recipients: 0 };
  const letters = split && assignVariants(split, before, recipients.length);
  const pages = Array.from({ length: Math.ceil(recipients.length / pageSize) }, (_, index) => {
    const [start, end] = [index * pageSize, (index + 1) * pageSize];
    const own = recipients.slice(start, end);
    return recipientPageItem(teamId, id, pagesBefore + index, own, letters?.slice(start, end));
  });
  const cursor: SnapshotCursor = {
    after,
    pages: pagesBefore + pages.length,
    recipients: before + recipients.length,
  };
  const written = await table.transactIf([
    ...pages.map((Item) => ({ Put: { Item } })),
    { Update: campaigns.conditional(teamId, id, ['queuing'], { freeze: cursor }, { freeze: from }) },
  ]);
  return written ? cursor : undefined;
}

/**
 * Reserves the allowance and opens a campaign for sending, paused for a suspended team, in one transaction.
 * `over_allowance` when that alone prevents it, `lost` when another worker was first.
 */
export async function open(
  teamId: number,
  plan: Plan,
  campaign: campaigns.CampaignItem,
  cursor: SnapshotCursor,
  at: string,
  outbox: Record<'queued' | 'sending', due.DueJob>,
): Promise<'opened' | 'opened_paused' | 'over_allowance' | 'lost'> {
  const { recipients } = cursor;
  const month = allowancePeriod(new Date(at));
  const split = splitOf(teamId, campaign);
  const snapshot: Partial<campaigns.CampaignItem> = {
    freeze: undefined,
    frozen_at: at,
    total_recipients: recipients,
    sent_at: at,
    charge: { emails: recipients, month },
    progress: { accounted: 0, at },
    ...(split && { test: { phase: 'test', size: sliceSize(recipients, split) } }),
  };
  const queued = await queuedEvents(teamId, campaign.id, at);
  const opening = (cause: Move, attributes: Partial<campaigns.CampaignItem>): table.TransactionWrite[] => [
    usage.taking(teamId, plan, month, 'emails', recipients),
    { Put: { Item: queued } },
    { Update: campaigns.moving(teamId, campaign.id, cause, attributes, { freeze: cursor }) },
    due.jobWrite(outbox.queued),
  ];
  const shared = opening('snapshot', snapshot);
  const suspended = shared.length;
  let refused = await table.refusals([...shared, teams.notSuspended(teamId), due.jobWrite(outbox.sending)]);
  if (refused.length === 0) return 'opened';
  // Anything else that is missing, such as the allowance, refuses this, too.
  if (refused.includes(suspended)) {
    refused = await table.refusals(opening('openPaused', { ...snapshot, failure_reason: 'sending_suspended' }));
    if (refused.length === 0) return 'opened_paused';
  }
  return refused.length === 1 && refused[0] === 0 ? 'over_allowance' : 'lost';
}

/** Starts the wait for an A/B test's decision, with the job that ends it; false when the campaign changed. */
export function awaitDecision(
  teamId: number,
  { id, run, test }: campaigns.CampaignItem,
  waiting: campaigns.TestProgress,
): Promise<boolean> {
  return table.transactIf([
    { Update: campaigns.conditional(teamId, id, ['sending'], { test: waiting }, { run, test }) },
    { Put: { Item: due.startJob(teamId, id, waiting.decide_at!) } },
  ]);
}

/** Ends a send, with a job while recipients are unknown; false when the campaign changed since it was read. */
export function end(
  teamId: number,
  campaign: campaigns.CampaignItem,
  counts: Tally,
  { cause, failure_reason }: { cause: ReturnType<typeof ending>; failure_reason: string | null },
  outbox: due.DueJob,
): Promise<boolean> {
  const { reservation, writes } = adjustReservation(teamId, campaign, counts.sent + counts.unknown);
  const ended_at = timestamp();
  const attributes = { ...finalOf(counts), failure_reason, charge: reservation, ended_at };
  const settle = due.dueJob({ kind: 'settle', team_id: teamId, campaign_id: campaign.id, since: ended_at });
  return table.transactIf([
    { Update: campaigns.moving(teamId, campaign.id, cause, attributes, asRead(campaign)) },
    ...writes,
    ...(counts.unknown > 0 ? [{ Put: { Item: settle } }] : []),
    due.jobWrite(outbox),
  ]);
}

/** Cancels a paused campaign; false when it is not paused. A later job gives back what it has not sent. */
export function cancelPaused(
  teamId: number,
  campaign: campaigns.CampaignItem,
  marker: Partial<campaigns.CampaignItem>,
  others: readonly table.TransactionWrite[],
): Promise<boolean> {
  const ended_at = timestamp();
  const job = { kind: 'settle', team_id: teamId, campaign_id: campaign.id, since: ended_at } as const;
  const quiet = new Date(Date.now() + (lateClaimSeconds + leaseSeconds) * 1000);
  return table.transactIf([
    { Update: campaigns.conditional(teamId, campaign.id, ['paused'], { ...marker, status: 'cancelled', ended_at }) },
    { Put: { Item: due.dueJob(job, quiet) } },
    ...others,
  ]);
}

/** Updates a campaign that is over to its counters; false when it changed. `underWay` may still be accepted. */
export function settled(
  teamId: number,
  campaign: campaigns.CampaignItem,
  counts: Tally,
  underWay: number,
  { cause, failure_reason }: { cause: ReturnType<typeof ending>; failure_reason: string | null },
  outbox?: due.DueJob,
): Promise<boolean> {
  const { reservation, writes } = adjustReservation(teamId, campaign, counts.sent + counts.unknown + underWay);
  const attributes = { ...finalOf(counts), charge: reservation };
  const seen = asRead(campaign);
  const update =
    campaign.status === 'cancelled'
      ? campaigns.conditional(teamId, campaign.id, ['cancelled'], attributes, seen)
      : campaigns.moving(teamId, campaign.id, cause, { ...attributes, failure_reason }, seen);
  return table.transactIf([{ Update: update }, ...writes, ...(outbox ? [due.jobWrite(outbox)] : [])]);
}

/** The same for the reservation of a deleted campaign. */
export function settledTombstone(
  teamId: number,
  tombstone: Tombstone,
  counts: Tally,
  underWay: number,
): Promise<boolean> {
  const { reservation, writes } = adjustReservation(teamId, tombstone, counts.sent + counts.unknown + underWay);
  if (writes.length === 0) return Promise.resolve(true);
  return table.transactIf([
    {
      Update: {
        Key: keys.deletedCampaign(teamId, tombstone.id),
        UpdateExpression: 'SET charge = :charge',
        ConditionExpression: 'charge = :seen',
        ExpressionAttributeValues: { ':charge': reservation, ':seen': tombstone.charge },
      },
    },
    ...writes,
  ]);
}

/** What makes a write late: a settled reservation, or another run, such as that of a resend. */
const asRead = ({ charge, run }: campaigns.CampaignItem) => ({ charge, run });

const finalOf = ({ sent, failed }: Tally) => ({ final: { sent, failed } });

/** The reservation for a number of emails, and the write that moves the month's counter, if any. */
function adjustReservation(
  teamId: number,
  { charge: reservation }: Pick<campaigns.CampaignItem, 'charge'>,
  emails: number,
): { reservation: campaigns.CampaignItem['charge']; writes: table.TransactionWrite[] } {
  if (!reservation || reservation.emails === emails) return { reservation, writes: [] };
  const { month, emails: held } = reservation;
  return { reservation: { month, emails }, writes: [usage.adding(teamId, month, 'emails', emails - held)] };
}
