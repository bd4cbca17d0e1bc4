import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as due from '../../data/due-jobs.ts';
import * as engagement from '../../data/events/engagement.ts';
import * as countingBatches from '../../data/feedback/counting-batches.ts';

/** A batch that began this long ago has ended, or its worker has died. */
export const batchMs = 5 * 60_000;

/** What events add to a campaign's counters. */
export type Delta = Partial<engagement.FeedbackCounts>;

/** What a batch adds to one campaign's counters. */
export interface CampaignCounts {
  id: number;
  campaign: campaigns.CampaignItem | undefined;
  /** Leads to a recount unless the batch ends and knows what it counted. */
  mark: countingBatches.Mark;
  recounts: number;
  delta: Delta;
  /** A lost answer hides whether something was counted. */
  doubtful: boolean;
}

/** Marks the batch and reads the campaign. */
export async function begin(teamId: number, id: number): Promise<CampaignCounts> {
  const [mark, , { recounts }, campaign] = await Promise.all([
    countingBatches.begin(teamId, id),
    scheduleRecount(teamId, id),
    engagement.countsOfRows(teamId, id),
    campaigns.find(teamId, id),
  ]);
  return { id, campaign, mark, recounts, delta: {}, doubtful: false };
}

const scheduled = new Map<string, number>();

/** Schedules the job that looks for batches without an end: the batches of five minutes share one. */
async function scheduleRecount(teamId: number, campaignId: number): Promise<void> {
  const dueAt = (Math.floor(Date.now() / batchMs) + 2) * batchMs;
  const name = `${teamId}/${campaignId}`;
  if (scheduled.get(name) === dueAt) return;
  await due.schedule({ kind: 'recount', team_id: teamId, campaign_id: campaignId }, new Date(dueAt));
  if (scheduled.size > 1_000) scheduled.clear();
  scheduled.set(name, dueAt);
}

/** Adds to a batch's counts; `doubtful` leaves them to the recount. */
export function add(counts: CampaignCounts, added: Delta | 'doubtful'): void {
  if (added === 'doubtful') {
    counts.doubtful = true;
    return;
  }
  for (const [name, count] of Object.entries(added) as [keyof Delta, number][])
    counts.delta[name] = (counts.delta[name] ?? 0) + count;
}

/** Writes a batch's counts, and removes its mark unless they are in doubt. */
export async function end(teamId: number, { id, mark, recounts, delta, doubtful }: CampaignCounts): Promise<void> {
  const nothing = Object.values(delta).every((count) => count === 0);
  const counted = nothing || (await engagement.count(teamId, id, delta, recounts));
  if (counted && !doubtful) await countingBatches.end(mark);
}
