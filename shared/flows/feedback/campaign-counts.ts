import { randomUUID } from 'node:crypto';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as due from '../../data/due-jobs.ts';
import * as engagement from '../../data/events/engagement.ts';

const recountAfterMs = 15 * 60_000;

/** What events add to a campaign's counters. */
export type Delta = Partial<engagement.FeedbackCounts>;

/** What a batch adds to one campaign's counters. */
export interface CampaignCounts {
  id: number;
  campaign: campaigns.CampaignItem | undefined;
  /** Recounts the campaign unless the batch ends and knows what it counted. */
  recountJob: due.DueJob;
  recounts: number;
  delta: Delta;
  /** A lost answer hides whether something was counted. */
  doubtful: boolean;
}

/** Schedules the recount job and reads the campaign. */
export async function begin(teamId: number, id: number): Promise<CampaignCounts> {
  const job = { kind: 'recount', team_id: teamId, campaign_id: id, batch: randomUUID() } as const;
  const [recountJob, { recounts }, campaign] = await Promise.all([
    due.schedule(job, new Date(Date.now() + recountAfterMs)),
    engagement.countsOfRows(teamId, id),
    campaigns.find(teamId, id),
  ]);
  return { id, campaign, recountJob, recounts, delta: {}, doubtful: false };
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

/** Writes a batch's counts, and removes the recount job unless they are in doubt. */
export async function end(
  teamId: number,
  { id, recountJob, recounts, delta, doubtful }: CampaignCounts,
): Promise<void> {
  const nothing = Object.values(delta).every((count) => count === 0);
  const counted = nothing || (await engagement.count(teamId, id, delta, recounts));
  if (counted && !doubtful) await due.finish(recountJob);
}
