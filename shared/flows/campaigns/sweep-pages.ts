import { queuePages } from '../../aws/queue.ts';
import type * as campaigns from '../../data/campaigns/campaigns.ts';
import * as pageResults from '../../data/campaigns/page-results.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import { changeInPhase, toSend } from './ab-test.ts';
import { mendPage } from './settle-page.ts';

type Sweep = NonNullable<campaigns.CampaignItem['sweep']>;

const maxPagesPerStep = 200;

/**
 * Does one step of a sweep: queues what the account can send in a minute and mends what a dead worker left. The first
 * sweep is the dispatch, later ones mend a stall. A page queued twice is sent once: its claim is conditional.
 */
export async function sweepPages(
  teamId: number,
  campaign: campaigns.CampaignItem,
  sweep: Sweep,
  perMinute: number,
): Promise<void> {
  const { id } = campaign;
  const count = Math.max(1, Math.min(maxPagesPerStep, Math.floor(perMinute / recipients.pageSize)));
  const pages = await recipients.pages(teamId, id, { from: sweep.after || undefined, count });
  const numbers = pages.map(({ number }) => number);
  const results = await pageResults.batch(teamId, id, numbers);
  const unsent = pages.map((page, index) =>
    results[index]?.state === 'sending' ? 0 : toSend(campaign, page, results[index]).length,
  );
  const pending = pages.filter((_page, index) => unsent[index]! > 0);
  await queuePages(pending.map(({ number, sk }) => ({ team_id: teamId, campaign_id: id, page: number, leaf: sk })));
  for (const [index, result] of results.entries())
    if (result) await mendPage(teamId, campaign, numbers[index]!, result);
  const queued = sweep.queued + unsent.reduce((sum, recipients) => sum + recipients, 0);
  const over = pages.length < count;
  const swept = {
    sweep: over ? undefined : { ...sweep, after: pages.at(-1)!.sk, queued },
    ...(over && { sweeps: (campaign.sweeps ?? 0) + 1 }),
  };
  await changeInPhase(teamId, campaign, swept);
}
