import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as sendCounters from '../../data/campaigns/send-counters.ts';
import * as clicks from '../../data/events/clicks.ts';
import * as engagement from '../../data/events/engagement.ts';
import { countLinks, type LinkCounts } from '../../domain/reports/link-report.ts';
import { metrics } from '../../domain/reports/report.ts';

/** The counts and rates of a campaign's report. */
export type Metrics = ReturnType<typeof metrics>;

/** A link of a campaign with its clicks. */
export type LinkRow = LinkCounts & { url: string };

/** A campaign's counts with their rates. */
export async function reportMetrics(teamId: number, campaign: CampaignItem): Promise<Metrics> {
  const [{ sent }, feedback] = await Promise.all([
    sendCounters.counts(teamId, campaign.id),
    engagement.counts(teamId, campaign.id),
  ]);
  const { delivered, opened, clicked, bounced, unsubscribed, complained } = feedback;
  const people = { delivered, opened, clicked, bounced, unsubscribed, complained };
  return metrics({ recipients: campaign.total_recipients, sent, ...people });
}

/** The clicks on each link of a campaign, most clicked first. */
export async function linkRows(teamId: number, campaignId: number): Promise<LinkRow[]> {
  const [counts, urls] = await Promise.all([
    countLinks(clicks.all(teamId, campaignId)),
    clicks.urls(teamId, campaignId),
  ]);
  const rows = [...counts].map(([link, count]) => ({ url: urls.get(link) ?? '', ...count }));
  return rows.sort((a, b) => b.clicks - a.clicks || b.bots - a.bots || (a.url < b.url ? -1 : 1));
}
