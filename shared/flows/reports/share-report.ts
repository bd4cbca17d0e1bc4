import { config } from '../../aws/config.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import { signingKey, withSigningKeys } from '../../data/signing-key.ts';
import * as teams from '../../data/teams/teams.ts';
import { openToken, signToken } from '../../domain/signed-token.ts';
import { epochSeconds, timestamp } from '../../domain/time.ts';
import { campaignReport, type LinkRow, linkRows, type Metrics } from './campaign-report.ts';
import { type RowCounts, rowCounts } from './count-rows.ts';

/** Makes an unguessable URL that shows a campaign's report to anyone until it expires or is revoked. */
export async function shareReport(
  teamId: number,
  { id, reports_revoked: revoked = 0 }: campaigns.CampaignItem,
  expiresAt: Date,
): Promise<{ url: string; expires_at: string }> {
  const ids = [teamId, id, epochSeconds(expiresAt)];
  const key = await signingKey();
  // The version before opens the first kind only.
  const token = revoked === 0 ? signToken(key, 'report', ids) : signToken(key, 'report_anew', [...ids, revoked]);
  return { url: `${config.baseUrl}/reports/${token}`, expires_at: timestamp(epochSeconds(expiresAt) * 1000) };
}

/** The contents of a shared report. */
export interface SharedReport {
  team: string;
  campaign: campaigns.CampaignItem;
  metrics: Metrics;
  counts: RowCounts;
  /** Most clicked first. */
  links: LinkRow[];
}

/** The report of a token; undefined when the token is invalid, expired or revoked, or the campaign is deleted. */
export async function openReport(token: string): Promise<SharedReport | undefined> {
  const ids = await withSigningKeys(
    'report',
    (key) => openToken(key, 'report', token) ?? openToken(key, 'report_anew', token),
  );
  const [teamId = 0, campaignId = 0, expires = 0, revoked = 0] = ids ?? [];
  if (!ids || expires < epochSeconds()) return undefined;
  const [team, campaign] = await Promise.all([teams.find(teamId), campaigns.find(teamId, campaignId)]);
  if (!team || !campaign || revoked !== (campaign.reports_revoked ?? 0)) return undefined;
  const [{ metrics }, counts] = await Promise.all([
    campaignReport(teamId, campaign),
    rowCounts(teamId, campaign, true),
  ]);
  const links = await linkRows(teamId, campaignId, counts);
  return { team: team.name, campaign, metrics, counts, links };
}
