import type { ending } from '../domain/campaign-status.ts';
import { allowancePeriod } from '../domain/plans.ts';
import type { Tally } from '../domain/recipient-ledger.ts';
import type { CampaignItem } from './campaigns.ts';
import * as campaigns from './campaigns.ts';
import * as due from './due.ts';
import { queuedEvents } from './event-rows.ts';
import { keys } from './keys.ts';
import { leafItem, pageSize, type Recipient } from './recipients.ts';
import * as table from './table.ts';
import { returnEmails, takeEmails } from './usage.ts';

/** How far the freezing of an audience is. */
export type FreezeCursor = NonNullable<CampaignItem['freeze']>;

/** Writes recipients as leaves and moves the cursor to `after`, the last address looked at, together; undefined when the cursor was not where it was seen. */
export async function addLeaves(
  teamId: number,
  id: number,
  from: FreezeCursor | undefined,
  recipients: readonly Recipient[],
  after: string,
): Promise<FreezeCursor | undefined> {
  const { pages, recipients: before } = from ?? { pages: 0, recipients: 0 };
  const leaves = Array.from({ length: Math.ceil(recipients.length / pageSize) }, (_, index) =>
    leafItem(teamId, id, pages + index, recipients.slice(index * pageSize, (index + 1) * pageSize)),
  );
  const freeze: FreezeCursor = { after, pages: pages + leaves.length, recipients: before + recipients.length };
  const written = await table.transactIf([
    ...leaves.map((Item) => ({ Put: { Item } })),
    { Update: { Key: keys.campaign(teamId, id), ...campaigns.conditional(['queuing'], { freeze }, { freeze: from }) } },
  ]);
  return written ? freeze : undefined;
}

/** Takes the emails from the allowance and opens a frozen campaign for sending, together; `over_allowance` when that alone refuses it, `lost` when another freezer was first. */
export async function open(
  teamId: number,
  campaign: CampaignItem,
  cursor: FreezeCursor,
  at: string,
): Promise<'opened' | 'over_allowance' | 'lost'> {
  const frozen = {
    freeze: undefined,
    frozen_at: at,
    total_recipients: cursor.recipients,
    sent_at: at,
    progress: { accounted: 0, at },
  };
  const [first, ...others] = await table.refusals([
    takeEmails(teamId, campaign.launched_by!.plan, cursor.recipients),
    { Put: { Item: queuedEvents(teamId, campaign.id, at) } },
    { Update: { Key: keys.campaign(teamId, campaign.id), ...campaigns.moving('freeze', frozen, { freeze: cursor }) } },
  ]);
  if (first === undefined) return 'opened';
  return first === 0 && others.length === 0 ? 'over_allowance' : 'lost';
}

/** Ends a send: final counters, unsent emails back to the allowance, and a reminder while recipients are unknown, together. */
export async function end(
  teamId: number,
  campaign: CampaignItem,
  counts: Tally,
  { cause, failure_reason }: { cause: ReturnType<typeof ending>; failure_reason: string | null },
): Promise<void> {
  const final = { sent: counts.sent, failed: counts.failed };
  const unsent = counts.failed + counts.suppressed;
  const settle = due.reminder({ kind: 'settle', team_id: teamId, campaign_id: campaign.id });
  await table.transactIf([
    { Update: { Key: keys.campaign(teamId, campaign.id), ...campaigns.moving(cause, { final, failure_reason }) } },
    ...(unsent > 0 ? [giveBack(teamId, campaign, unsent)] : []),
    ...(counts.unknown > 0 ? [{ Put: { Item: settle } }] : []),
  ]);
}

/** Cancels a paused campaign and gives back the emails it has not sent, together; false when it is not paused any more. */
export function cancelPaused(teamId: number, campaign: CampaignItem, counts: Tally): Promise<boolean> {
  const final = { sent: counts.sent, failed: counts.failed };
  return table.transactIf([
    { Update: { Key: keys.campaign(teamId, campaign.id), ...campaigns.moving('cancel', { final }) } },
    giveBack(teamId, campaign, campaign.total_recipients - counts.sent - counts.unknown),
  ]);
}

const giveBack = (teamId: number, campaign: CampaignItem, count: number): table.TransactionWrite =>
  returnEmails(teamId, allowancePeriod(new Date(campaign.frozen_at!)), count);
