import { assignVariants, type Split, sliceSize } from '../../domain/campaigns/ab-test.ts';
import type { Tally } from '../../domain/campaigns/recipient-ledger.ts';
import type { ending, Move } from '../../domain/campaigns/status.ts';
import { allowancePeriod, type Plan } from '../../domain/teams/plans.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { queuedEvents } from '../events/rows.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';
import * as teams from '../teams/teams.ts';
import { addEmails, takeEmails } from '../teams/usage.ts';
import type { CampaignItem, TestProgress } from './campaigns.ts';
import * as campaigns from './campaigns.ts';
import { leaseSeconds, pageSize, type Recipient, recipientPageItem } from './recipients.ts';
import type { Tombstone } from './tombstones.ts';

/** How far the freezing of an audience is. */
export type SnapshotCursor = NonNullable<CampaignItem['freeze']>;

/** How long a worker that has read a campaign as `sending` may still claim a page of it: the time that its function has. */
const lateClaimSeconds = 60;

/** How a campaign's audience is split; undefined without an A/B test. */
function splitOf(teamId: number, campaign: CampaignItem): Split | undefined {
  const { id, ab_test_enabled, ab_test_percentage, variants = [] } = campaign;
  if (!ab_test_enabled || variants.length === 0) return undefined;
  return { seed: `${teamId}/${id}`, percentage: ab_test_percentage!, variants: variants.length };
}

/** Schedules a campaign, with the reminder that starts it and what tells of it; false when it is not as it was read. */
export function schedule(
  teamId: number,
  { id, updated_at }: CampaignItem,
  at: string,
  signed: Partial<CampaignItem>,
  outbox: due.DueJob,
): Promise<boolean> {
  const attributes = { ...signed, scheduled_at: at };
  return table.transactIf([
    { Update: { Key: keys.campaign(teamId, id), ...campaigns.moving('schedule', attributes, { updated_at }) } },
    { Put: { Item: due.startJob(teamId, id, at) } },
    due.jobWrite(outbox),
  ]);
}

/** Writes recipients as leaves and moves the cursor to `after`, the last address looked at, together; undefined when the cursor was not where it was seen. */
export async function addPages(
  teamId: number,
  campaign: CampaignItem,
  from: SnapshotCursor | undefined,
  recipients: readonly Recipient[],
  after: string,
): Promise<SnapshotCursor | undefined> {
  const { id } = campaign;
  const split = splitOf(teamId, campaign);
  const { pages, recipients: before } = from ?? { pages: 0, recipients: 0 };
  const leaves = Array.from({ length: Math.ceil(recipients.length / pageSize) }, (_, index) => {
    const own = recipients.slice(index * pageSize, (index + 1) * pageSize);
    const dealt = split && assignVariants(split, before + index * pageSize, own.length);
    return recipientPageItem(teamId, id, pages + index, own, dealt);
  });
  const freeze: SnapshotCursor = { after, pages: pages + leaves.length, recipients: before + recipients.length };
  const written = await table.transactIf([
    ...leaves.map((Item) => ({ Put: { Item } })),
    { Update: { Key: keys.campaign(teamId, id), ...campaigns.conditional(['queuing'], { freeze }, { freeze: from }) } },
  ]);
  return written ? freeze : undefined;
}

/**
 * Takes the emails from the allowance and opens a frozen campaign for sending, together; for a suspended team it opens paused.
 * Says `over_allowance` when that alone refuses it, `lost` when another freezer was first. What tells of it is written with it: that it is being sent, where it is.
 */
export async function open(
  teamId: number,
  plan: Plan,
  campaign: CampaignItem,
  cursor: SnapshotCursor,
  at: string,
  outbox: Record<'queued' | 'sending', due.DueJob>,
): Promise<'opened' | 'opened_paused' | 'over_allowance' | 'lost'> {
  const { recipients } = cursor;
  const month = allowancePeriod(new Date(at));
  const split = splitOf(teamId, campaign);
  const frozen: Partial<CampaignItem> = {
    freeze: undefined,
    frozen_at: at,
    total_recipients: recipients,
    sent_at: at,
    charge: { emails: recipients, month },
    progress: { accounted: 0, at },
    ...(split && { test: { phase: 'test', size: sliceSize(recipients, split) } }),
  };
  const opening = (cause: Move, attributes: Partial<CampaignItem>): table.TransactionWrite[] => [
    takeEmails(teamId, plan, month, recipients),
    { Put: { Item: queuedEvents(teamId, campaign.id, at) } },
    { Update: { Key: keys.campaign(teamId, campaign.id), ...campaigns.moving(cause, attributes, { freeze: cursor }) } },
    due.jobWrite(outbox.queued),
  ];
  const shared = opening('snapshot', frozen);
  const suspended = shared.length;
  let refused = await table.refusals([...shared, teams.notSuspended(teamId), due.jobWrite(outbox.sending)]);
  if (refused.length === 0) return 'opened';
  // What else may be missing, as the allowance, refuses this, too.
  if (refused.includes(suspended)) {
    refused = await table.refusals(opening('openPaused', { ...frozen, failure_reason: 'sending_suspended' }));
    if (refused.length === 0) return 'opened_paused';
  }
  return refused.length === 1 && refused[0] === 0 ? 'over_allowance' : 'lost';
}

/** Lets a campaign wait for the decision of its A/B test, with the reminder that wakes it; false when it changed meanwhile. */
export function awaitDecision(
  teamId: number,
  { id, run, test }: CampaignItem,
  waiting: TestProgress,
): Promise<boolean> {
  return table.transactIf([
    {
      Update: {
        Key: keys.campaign(teamId, id),
        ...campaigns.conditional(['sending'], { test: waiting }, { run, test }),
      },
    },
    { Put: { Item: due.startJob(teamId, id, waiting.decide_at!) } },
  ]);
}

/** Ends a send: state, final counters, the charge, what tells of it, and a reminder while recipients are unknown, together; false when the campaign changed meanwhile. */
export function end(
  teamId: number,
  campaign: CampaignItem,
  counts: Tally,
  { cause, failure_reason }: { cause: ReturnType<typeof ending>; failure_reason: string | null },
  outbox: due.DueJob,
): Promise<boolean> {
  const { charge, writes } = adjustReservation(teamId, campaign, counts.sent + counts.unknown);
  const attributes = { ...finalOf(counts), failure_reason, charge };
  const settle = due.dueJob({ kind: 'settle', team_id: teamId, campaign_id: campaign.id, since: timestamp() });
  return table.transactIf([
    {
      Update: {
        Key: keys.campaign(teamId, campaign.id),
        ...campaigns.moving(cause, attributes, { charge: campaign.charge }),
      },
    },
    ...writes,
    ...(counts.unknown > 0 ? [{ Put: { Item: settle } }] : []),
    due.jobWrite(outbox),
  ]);
}

/** Cancels a paused campaign; what it has not sent is given back once no page of it can be under way any more (`settled`). False when it is not paused any more. */
export function cancelPaused(
  teamId: number,
  campaign: CampaignItem,
  signed: Partial<CampaignItem>,
  outbox: due.DueJob,
): Promise<boolean> {
  const duty = { kind: 'settle', team_id: teamId, campaign_id: campaign.id, since: timestamp() } as const;
  const quiet = new Date(Date.now() + (lateClaimSeconds + leaseSeconds) * 1000);
  return table.transactIf([
    {
      Update: {
        Key: keys.campaign(teamId, campaign.id),
        ...campaigns.conditional(['paused'], { ...signed, status: 'cancelled' }),
      },
    },
    { Put: { Item: due.dueJob(duty, quiet) } },
    due.jobWrite(outbox),
  ]);
}

/** Brings a campaign that is over up to its counters: state, final counters and charge, together; false when it changed meanwhile. Messages `underWay` may yet be accepted. */
export function settled(
  teamId: number,
  campaign: CampaignItem,
  counts: Tally,
  underWay: number,
  { cause, failure_reason }: { cause: ReturnType<typeof ending>; failure_reason: string | null },
  outbox?: due.DueJob,
): Promise<boolean> {
  const { charge, writes } = adjustReservation(teamId, campaign, counts.sent + counts.unknown + underWay);
  const seen = { charge: campaign.charge };
  const update =
    campaign.status === 'cancelled'
      ? campaigns.conditional(['cancelled'], { ...finalOf(counts), charge }, seen)
      : campaigns.moving(cause, { ...finalOf(counts), failure_reason, charge }, seen);
  return table.transactIf([
    { Update: { Key: keys.campaign(teamId, campaign.id), ...update } },
    ...writes,
    ...(outbox ? [due.jobWrite(outbox)] : []),
  ]);
}

/** The same for what is left of a deleted campaign: its charge. */
export function settledTombstone(teamId: number, trace: Tombstone, counts: Tally, underWay: number): Promise<boolean> {
  const { charge, writes } = adjustReservation(teamId, trace, counts.sent + counts.unknown + underWay);
  if (writes.length === 0) return Promise.resolve(true);
  return table.transactIf([
    {
      Update: {
        Key: keys.deletedCampaign(teamId, trace.id),
        UpdateExpression: 'SET charge = :charge',
        ConditionExpression: 'charge = :seen',
        ExpressionAttributeValues: { ':charge': charge, ':seen': trace.charge },
      },
    },
    ...writes,
  ]);
}

const finalOf = ({ sent, failed }: Tally) => ({ final: { sent, failed } });

/** What brings a campaign's charge to so many emails, for a transaction that has seen the charge; nothing to write where it is that already. */
function adjustReservation(
  teamId: number,
  { charge }: Pick<CampaignItem, 'charge'>,
  emails: number,
): { charge: CampaignItem['charge']; writes: table.TransactionWrite[] } {
  if (!charge || charge.emails === emails) return { charge, writes: [] };
  return { charge: { ...charge, emails }, writes: [addEmails(teamId, charge.month, emails - charge.emails)] };
}
