import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as engagement from '../../data/events/engagement.ts';

/** A campaign that has ended, with its counts. */
interface EndedCampaign {
  /** null with an A/B test, which has several, or without a subject. */
  subject: string | null;
  sent: number;
  counts: engagement.FeedbackCounts;
}

/** Campaigns that are searched for ended ones. */
const maxSearched = 200;

/** A team's last campaigns with sent messages, at most `max`, newest first. */
export async function recentCampaigns(teamId: number, max: number): Promise<EndedCampaign[]> {
  const ended: campaigns.CampaignItem[] = [];
  let searched = 0;
  for await (const { item } of campaigns.list(teamId)('forward', undefined, max)) {
    if (item.final && item.final.sent > 0) ended.push(item);
    if (ended.length === max || ++searched === maxSearched) break;
  }
  const ids = ended.map(({ id }) => id);
  const counts = await engagement.countsOf(teamId, ids);
  return ended.map(({ subject, ab_test_enabled, final }, index) => ({
    subject: ab_test_enabled ? null : subject,
    sent: final!.sent,
    counts: counts[index]!,
  }));
}
