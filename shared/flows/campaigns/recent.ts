import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as engagement from '../../data/events/engagement.ts';

/** A campaign that has ended, and what came of it. */
interface EndedCampaign {
  /** null where it had several, or none. */
  subject: string | null;
  sent: number;
  counts: engagement.FeedbackCounts;
}

/** Campaigns that are looked through for those that have ended. */
const mostLookedAt = 200;

/** The last campaigns of a team that were sent, `most` of them, newest first. */
export async function recentCampaigns(teamId: number, most: number): Promise<EndedCampaign[]> {
  const ended: campaigns.CampaignItem[] = [];
  let lookedAt = 0;
  for await (const { item } of campaigns.list(teamId)('forward', undefined, most)) {
    if (item.final && item.final.sent > 0) ended.push(item);
    if (ended.length === most || ++lookedAt === mostLookedAt) break;
  }
  const counts = await engagement.countsOf(
    teamId,
    ended.map(({ id }) => id),
  );
  return ended.map(({ subject, ab_test_enabled, final }, index) => ({
    subject: ab_test_enabled ? null : subject,
    sent: final!.sent,
    counts: counts[index]!,
  }));
}
