import { timestamp } from '../aws/clock.ts';
import { queuePages } from '../aws/queue.ts';
import type { CampaignItem } from '../data/campaigns.ts';
import * as campaigns from '../data/campaigns.ts';
import * as recipients from '../data/recipients.ts';
import { expired, markUnknown, settleUnknown } from './settle-page.ts';

const leavesPerStep = 200;

/**
 * Walks a campaign's pages: queues what is still to send, marks what a dead worker left as unknown, settles what is unknown.
 * The first walk is the dispatch; later ones mend a stall. A page queued twice is sent once: its claim is conditional.
 */
export async function sweepPages(teamId: number, campaign: CampaignItem, deadline: number): Promise<void> {
  const { id } = campaign;
  let { after, started_at } = campaign.sweep ?? { after: '', started_at: timestamp() };
  for (;;) {
    const leaves = await recipients.leaves(teamId, id, { from: after || undefined, count: leavesPerStep });
    const rows = await recipients.pages(teamId, id, leaves.map((leaf) => leaf.page));
    const pending = leaves.filter((_leaf, index) => rows[index] === undefined || rows[index].state === 'open');
    await queuePages(pending.map((leaf) => ({ team_id: teamId, campaign_id: id, page: leaf.page, leaf: leaf.sk })));
    for (const [index, leaf] of leaves.entries()) await mend(teamId, id, leaf, rows[index]);
    const over = leaves.length < leavesPerStep;
    after = leaves.at(-1)?.sk ?? after;
    await campaigns.change(teamId, id, ['sending'], {
      sweep: over ? undefined : { after, started_at },
      ...(over && { sweeps: (campaign.sweeps ?? 0) + 1 }),
    });
    if (over || Date.now() > deadline) return;
  }
}

async function mend(
  teamId: number,
  id: number,
  leaf: recipients.Leaf,
  row: recipients.PageItem | undefined,
): Promise<void> {
  if (!row) return;
  if (expired(row)) {
    await markUnknown(teamId, id, leaf.page, row);
    const [marked] = await recipients.pages(teamId, id, [leaf.page]);
    if (marked) await settleUnknown(teamId, id, leaf, marked);
  } else if (row.statuses.includes('u')) {
    await settleUnknown(teamId, id, leaf, row);
  }
}
