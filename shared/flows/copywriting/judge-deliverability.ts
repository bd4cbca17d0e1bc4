import * as domains from '../../data/teams/sending-domains.ts';
import * as teams from '../../data/teams/teams.ts';
import { type Deliverability, judge } from '../../domain/copywriting/deliverability.ts';
import type { AccountSignals } from '../../domain/copywriting/deliverability-account.ts';
import { recentCampaigns } from './recent-campaigns.ts';

/** The campaigns that the account's rates are computed from. */
const maxCampaigns = 10;

/** Judges a message, with the account's reputation on request. Throws 422 for unreadable HTML. */
export async function judgeDeliverability(
  teamId: number,
  message: { content: string; subject?: string | null },
  useAccountSignals: boolean,
): Promise<Deliverability> {
  return judge(message, useAccountSignals ? await accountSignals(teamId) : undefined);
}

async function accountSignals(teamId: number): Promise<AccountSignals> {
  const [campaigns, domain, team] = await Promise.all([
    recentCampaigns(teamId, maxCampaigns),
    domains.firstVerified(teamId),
    teams.find(teamId),
  ]);
  const sum = (number: (campaign: (typeof campaigns)[number]) => number) =>
    campaigns.reduce((total, campaign) => total + number(campaign), 0);
  return {
    sent: sum(({ sent }) => sent),
    bounced: sum(({ counts }) => counts.bounced),
    complained: sum(({ counts }) => counts.complained),
    domainVerified: domain !== undefined,
    suspended: team?.suspended_at !== undefined,
  };
}
