import * as campaigns from '../../data/campaigns/campaigns.ts';
import type { Next, RecountCursor } from '../../data/due-jobs.ts';
import * as engagement from '../../data/events/engagement.ts';
import * as rows from '../../data/events/rows.ts';
import * as countingBatches from '../../data/feedback/counting-batches.ts';
import * as events from '../../data/feedback/event-listing.ts';
import { timestamp } from '../../domain/time.ts';
import { noteOutcome } from '../campaigns/sending-record.ts';
import { batchMs } from './campaign-counts.ts';

const minute = 60_000;

interface Campaign {
  team_id: number;
  campaign_id: number;
}

type RecountJob = Campaign & { batch?: string; cursor?: RecountCursor };

/** Recounts a campaign's feedback where batches were cut off, and notes its outcome in the team's log of sends. */
export async function recount(job: RecountJob, deadline: number): Promise<Next> {
  const next = await recountCutOff(job, deadline);
  if (!next) await noteOutcome(job.team_id, job.campaign_id);
  return next;
}

/** Recounts a campaign's feedback from its rows, from a cursor on, if a batch has begun and not ended. */
async function recountCutOff(job: RecountJob, deadline: number): Promise<Next> {
  const { team_id: teamId, campaign_id: campaignId, batch } = job;
  const since = timestamp(Date.now() - batchMs);
  if (batch === undefined && !(await countingBatches.someLeft(teamId, campaignId, since))) return undefined;
  const before = await engagement.countsOfRows(teamId, campaignId);
  const cursor = job.cursor ?? beginning(before, since);
  // What was counted since the walk began may be in the rows that it has passed: it begins anew.
  if (cursor.version !== before.version) return { afterMs: minute };
  const rest = await walk(job, cursor, deadline);
  if (rest) return { afterMs: 0, cursor: rest };
  const counts = { ...engagement.noFeedback, ...cursor.counts };
  // Rows of deliveries expire after 180 days, their count does not.
  const campaign = await campaigns.find(teamId, campaignId);
  if (campaign?.frozen_at && campaign.frozen_at < rows.oldestShown(new Date()))
    counts.delivered = Math.max(counts.delivered, before.delivered);
  if (!(await engagement.recounted(teamId, campaignId, counts, cursor.version))) return { afterMs: minute };
  await countingBatches.clear(teamId, campaignId, cursor.since);
  return undefined;
}

/** The cursor of a walk that begins: nothing is counted, of no variant. */
function beginning(
  { version, ...before }: Awaited<ReturnType<typeof engagement.countsOfRows>>,
  since: string,
): RecountCursor {
  const variantCounters = Object.keys(before).filter((name) => /^(?:opened|clicked)_/.test(name));
  const counts = { ...engagement.noFeedback, ...Object.fromEntries(variantCounters.map((name) => [name, 0])) };
  return { walk: 'engagement', counts, version, since };
}

/** Adds the rows after a cursor to its counts; at the deadline the cursor to continue from, undefined at the end. */
async function walk(of: Campaign, cursor: RecountCursor, deadline: number): Promise<RecountCursor | undefined> {
  const { team_id: teamId, campaign_id: campaignId } = of;
  const { counts } = cursor;
  if (cursor.walk === 'engagement') {
    for await (const { item, position } of engagement.list(teamId, campaignId)('forward', cursor.after, 500)) {
      addEngagement(counts, item);
      if (Date.now() > deadline) return { ...cursor, after: position };
    }
  }
  const after = cursor.walk === 'deliveries' ? cursor.after : undefined;
  for await (const row of events.storedOf(teamId, campaignId)('forward', after, 500)) {
    if ('item' in row && row.item.event === 'delivered') counts.delivered!++;
    const position = 'item' in row ? row.position : row.reached;
    if (Date.now() > deadline) return { ...cursor, walk: 'deliveries', after: position };
  }
  return undefined;
}

function addEngagement(counts: Record<string, number>, item: engagement.EngagementItem): void {
  for (const [attribute, counter] of Object.values(engagement.byEvent)) {
    if (!item[attribute]) continue;
    counts[counter]!++;
    if (item.variant === undefined || (counter !== 'opened' && counter !== 'clicked')) continue;
    const ofVariant = `${counter}_${item.variant}`;
    counts[ofVariant] = (counts[ofVariant] ?? 0) + 1;
  }
}
