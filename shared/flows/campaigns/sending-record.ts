import * as sendCounters from '../../data/campaigns/send-counters.ts';
import * as tombstones from '../../data/campaigns/tombstones.ts';
import * as engagement from '../../data/events/engagement.ts';
import { type Outcome, recordDays, sumOf } from '../../domain/campaigns/reputation.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { timestamp } from '../../domain/time.ts';

const concurrency = 8;

const nothing: Outcome = { sent: 0, bounced: 0, complained: 0 };

/** The outcome of a campaign's messages so far. */
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

/** The outcome of the campaigns that a team began to send in the last days, deleted ones included. */
export async function weekOf(teamId: number): Promise<Outcome> {
  const since = timestamp(Date.now() - recordDays * 86_400_000);
  const sends = await sentCampaigns(teamId);
  const recent = sends.filter(({ frozen_at }) => frozen_at! >= since);
  return (await concurrently(recent, concurrency, (campaign) => outcomeOf(teamId, campaign))).reduce(sumOf, nothing);
}

/** The number of messages in a team's largest send. */
export async function largestSend(teamId: number): Promise<number> {
  const outcomes = await concurrently(await sentCampaigns(teamId), concurrency, (campaign) =>
    sendCounters.outcome(teamId, campaign),
  );
  return Math.max(0, ...outcomes.map(({ sent }) => sent));
}

/** The team's campaigns that have a snapshot, deleted ones included. */
async function sentCampaigns(teamId: number) {
  const found = [];
  for await (const campaign of tombstones.withRecipients(teamId)) if (campaign.frozen_at) found.push(campaign);
  return found;
}
