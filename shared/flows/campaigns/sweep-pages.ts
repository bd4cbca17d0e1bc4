import { queuePages } from '../../aws/queue.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import { inThisPhase, toSend } from './ab-test.ts';
import { expired, markUnknown, settleUnknown } from './settle-page.ts';

type Sweep = NonNullable<CampaignItem['sweep']>;

const mostLeavesPerStep = 200;

/**
 * Walks on over a campaign's pages, one step: queues what is still to send, marks what a dead worker left as unknown, settles what is unknown.
 * The first walk is the dispatch; later ones mend a stall. A page queued twice is sent once: its claim is conditional.
 * A step takes no more pages than the account's rate can send in about a minute.
 */
export async function sweepPages(
  teamId: number,
  campaign: CampaignItem,
  sweep: Sweep,
  perMinute: number,
): Promise<void> {
  const { id } = campaign;
  const count = Math.max(1, Math.min(mostLeavesPerStep, Math.floor(perMinute / recipients.pageSize)));
  const leaves = await recipients.recipientPages(teamId, id, { from: sweep.after || undefined, count });
  const rows = await recipients.pageResults(
    teamId,
    id,
    leaves.map((leaf) => leaf.page),
  );
  const waiting = leaves.map((leaf, index) =>
    rows[index]?.state === 'sending' ? 0 : toSend(campaign, leaf, rows[index]).length,
  );
  const pending = leaves.filter((_leaf, index) => waiting[index]! > 0);
  await queuePages(pending.map((leaf) => ({ team_id: teamId, campaign_id: id, page: leaf.page, leaf: leaf.sk })));
  for (const [index, leaf] of leaves.entries()) await mend(teamId, campaign, leaf, rows[index]);
  const queued = sweep.queued + waiting.reduce((sum, recipients) => sum + recipients, 0);
  const over = leaves.length < count;
  const swept = {
    sweep: over ? undefined : { ...sweep, after: leaves.at(-1)!.sk, queued },
    ...(over && { sweeps: (campaign.sweeps ?? 0) + 1 }),
  };
  await campaigns.change(teamId, id, ['sending'], swept, inThisPhase(campaign));
}

async function mend(
  teamId: number,
  campaign: CampaignItem,
  leaf: recipients.RecipientPage,
  row: recipients.PageResult | undefined,
): Promise<void> {
  if (!row) return;
  if (expired(row)) {
    await markUnknown(teamId, campaign.id, leaf.page, row);
    const [marked] = await recipients.pageResults(teamId, campaign.id, [leaf.page]);
    if (marked) await settleUnknown(teamId, campaign, leaf, marked);
  } else if (row.statuses.includes('u')) {
    await settleUnknown(teamId, campaign, leaf, row);
  }
}
