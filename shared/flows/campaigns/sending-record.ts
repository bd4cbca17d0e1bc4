import * as sendCounters from '../../data/campaigns/send-counters.ts';
import * as tombstones from '../../data/campaigns/tombstones.ts';
import * as engagement from '../../data/events/engagement.ts';
import { type Outcome, recordDays, sumOf } from '../../domain/campaigns/reputation.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { timestamp } from '../../domain/time.ts';

const lanes = 8;

const nothing: Outcome = { sent: 0, bounced: 0, complained: 0 };

/** What came of a campaign's messages so far. */
export async function outcomeOf(
  teamId: number,
  campaign: Parameters<typeof sendCounters.outcome>[1],
): Promise<Outcome> {
  const [{ sent }, { bounced, complained }] = await Promise.all([
    sendCounters.outcome(teamId, campaign),
    engagement.counts(teamId, campaign.id),
  ]);
  return { sent, bounced, complained };
}

/** What came of the campaigns that a team began to send in the last days, deleted ones too. */
export async function weekOf(teamId: number): Promise<Outcome> {
  const since = timestamp(Date.now() - recordDays * 86_400_000);
  const sends = await sentCampaigns(teamId);
  const recent = sends.filter(({ frozen_at }) => frozen_at! >= since);
  return (await concurrently(recent, lanes, (campaign) => outcomeOf(teamId, campaign))).reduce(sumOf, nothing);
}

/** Messages of the largest send that a team has made. */
export async function largestSend(teamId: number): Promise<number> {
  const outcomes = await concurrently(await sentCampaigns(teamId), lanes, (campaign) =>
    sendCounters.outcome(teamId, campaign),
  );
  return Math.max(0, ...outcomes.map(({ sent }) => sent));
}

/** Every campaign of the team whose audience was frozen, deleted ones too. */
async function sentCampaigns(teamId: number) {
  const found = [];
  for await (const campaign of tombstones.withRecipients(teamId)) if (campaign.frozen_at) found.push(campaign);
  return found;
}
