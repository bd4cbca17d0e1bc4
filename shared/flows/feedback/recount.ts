import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as engagement from '../../data/events/engagement.ts';
import * as rows from '../../data/events/rows.ts';
import * as events from '../../data/feedback/event-listing.ts';

/** Recounts a campaign's feedback from its rows; false when events came in meanwhile and it must be retried. */
export async function recount(teamId: number, campaignId: number): Promise<boolean> {
  const { version, ...before } = await engagement.countsOfRows(teamId, campaignId);
  const variantCounters = Object.keys(before).filter((name) => /^(?:opened|clicked)_/.test(name));
  const counts: engagement.FeedbackCounts = {
    ...engagement.noFeedback,
    ...Object.fromEntries(variantCounters.map((name) => [name, 0])),
  };
  for await (const { item } of engagement.list(teamId, campaignId)('forward', undefined, 500))
    for (const [attribute, counter] of Object.values(engagement.byEvent)) {
      if (!item[attribute]) continue;
      counts[counter]++;
      if (item.variant === undefined || (counter !== 'opened' && counter !== 'clicked')) continue;
      counts[`${counter}_${item.variant}`] = (counts[`${counter}_${item.variant}`] ?? 0) + 1;
    }
  for await (const row of events.storedOf(teamId, campaignId)('forward', undefined, 500))
    if ('item' in row && row.item.event === 'delivered') counts.delivered++;
  // Rows of deliveries expire after 180 days, their count does not.
  const campaign = await campaigns.find(teamId, campaignId);
  if (campaign?.frozen_at && campaign.frozen_at < rows.oldestShown(new Date()))
    counts.delivered = Math.max(counts.delivered, before.delivered);
  return engagement.recounted(teamId, campaignId, counts, version);
}
