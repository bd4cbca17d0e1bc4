import * as bodies from '../../data/campaigns/bodies.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as sendCounters from '../../data/campaigns/send-counters.ts';
import * as clicks from '../../data/events/clicks.ts';
import * as engagement from '../../data/events/engagement.ts';
import { unknownInWords } from '../../domain/campaigns/settling.ts';
import { templateOf } from '../../domain/messages/link-templates.ts';
import { metrics } from '../../domain/reports/report.ts';
import { type LinkCounts, mostClicked } from '../../domain/reports/tallies.ts';
import type { RowCounts } from './count-rows.ts';

/** The counts and rates of a campaign's report. */
export type Metrics = ReturnType<typeof metrics>;

/** A link of a campaign with its clicks. */
export type LinkRow = LinkCounts & { url: string };

/** The recipients whose message SES may or may not have accepted, and what there is to say of them. */
export interface UnknownRecipients {
  recipients: number;
  message: string;
}

/** A campaign's counts with their rates, and its unknown recipients, where there are any. */
export async function campaignReport(
  teamId: number,
  campaign: CampaignItem,
): Promise<{ metrics: Metrics; unknown?: UnknownRecipients }> {
  const [{ sent, unknown }, feedback] = await Promise.all([
    sendCounters.counts(teamId, campaign.id),
    engagement.counts(teamId, campaign.id),
  ]);
  const { delivered, opened, clicked, bounced, unsubscribed, complained } = feedback;
  const people = { delivered, opened, clicked, bounced, unsubscribed, complained };
  return {
    metrics: metrics({ recipients: campaign.total_recipients, sent, ...people }),
    ...(unknown > 0 && { unknown: { recipients: unknown, message: unknownInWords(campaign) } }),
  };
}

/** The links that were clicked, most clicked first, with their merge tags in place of what recipients saw. */
export async function linkRows(
  teamId: number,
  campaignId: number,
  counts: Pick<RowCounts, 'links'>,
): Promise<LinkRow[]> {
  const most = mostClicked(counts);
  const hashes = most.map(([hash]) => hash);
  const [urls, links] = await Promise.all([clicks.urls(teamId, campaignId, hashes), bodies.links(teamId, campaignId)]);
  const rows = new Map<string, LinkRow>();
  for (const [index, [, count]] of most.entries()) {
    // Earlier versions stored a link as each recipient saw it.
    const url = templateOf(urls[index] ?? '', links);
    const { clicks, unique, bots } = rows.get(url) ?? { clicks: 0, unique: 0, bots: 0 };
    const sum = { clicks: clicks + count.clicks, unique: unique + count.unique, bots: bots + count.bots };
    rows.set(url, { url, ...sum });
  }
  return [...rows.values()].sort((a, b) => b.clicks - a.clicks || b.bots - a.bots || (a.url < b.url ? -1 : 1));
}
