import { config } from '../../aws/config.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as engagement from '../../data/events/engagement.ts';
import { signingKey } from '../../data/signing-key.ts';
import * as teams from '../../data/teams/teams.ts';
import { openToken, signToken } from '../../domain/signed-token.ts';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { campaignReport, type LinkRow, linkRows, type Metrics } from './campaign-report.ts';

/** Makes an unguessable URL that shows a campaign's report to anyone until it expires. */
export async function shareReport(
  teamId: number,
  campaignId: number,
  expiresAt: Date,
): Promise<{ url: string; expires_at: string }> {
  const token = signToken(await signingKey(), 'report', [teamId, campaignId, epochSeconds(expiresAt)]);
  return { url: `${config.baseUrl}/reports/${token}`, expires_at: timestamp(epochSeconds(expiresAt) * 1000) };
}

/** The contents of a shared report. */
export interface SharedReport {
  team: string;
  campaign: campaigns.CampaignItem;
  metrics: Metrics;
  /** Times of people's first opens and clicks. */
  opened: string[];
  clicked: string[];
  /** Most clicked first. */
  links: LinkRow[];
}

/** The report of a token; undefined when the token is invalid or expired, or the campaign is deleted. */
export async function openReport(token: string): Promise<SharedReport | undefined> {
  const ids = openToken(await signingKey(), 'report', token);
  const [teamId = 0, campaignId = 0, expires = 0] = ids ?? [];
  if (!ids || expires < epochSeconds()) return undefined;
  const [team, campaign] = await Promise.all([teams.find(teamId), campaigns.find(teamId, campaignId)]);
  if (!team || !campaign) return undefined;
  const [{ metrics }, moments, links] = await Promise.all([
    campaignReport(teamId, campaign),
    firstMoments(teamId, campaignId),
    linkRows(teamId, campaignId),
  ]);
  return { team: team.name, campaign, metrics, ...moments, links };
}

async function firstMoments(teamId: number, campaignId: number): Promise<{ opened: string[]; clicked: string[] }> {
  const moments = { opened: [] as string[], clicked: [] as string[] };
  for await (const { opened_at, clicked_at } of engagement.firstMoments(teamId, campaignId)) {
    if (opened_at) moments.opened.push(opened_at);
    if (clicked_at) moments.clicked.push(clicked_at);
  }
  return moments;
}
