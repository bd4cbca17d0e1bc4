import * as campaigns from '../data/campaigns.ts';
import { keys } from '../data/keys.ts';
import * as recipients from '../data/recipients.ts';
import * as table from '../data/table.ts';
import { returnEmails } from '../data/usage.ts';
import { allowancePeriod } from '../domain/plans.ts';

/** Cancels a draft, scheduled or paused campaign; a paused one gives back, in the same write, the emails it had not sent. Undefined when its state forbids it. */
export async function cancelCampaign(teamId: number, id: number): Promise<campaigns.CampaignItem | undefined> {
  const campaign = await campaigns.find(teamId, id);
  if (campaign?.status !== 'paused') return campaigns.move(teamId, id, 'cancel');
  const counts = await recipients.counts(teamId, id);
  const unsent = campaign.total_recipients - counts.sent - counts.unknown;
  const attributes = { final: { sent: counts.sent, failed: counts.failed } };
  const cancelled = await table.transactIf([
    { Update: { Key: keys.campaign(teamId, id), ...campaigns.moving('cancel', attributes) } },
    returnEmails(teamId, allowancePeriod(new Date(campaign.frozen_at!)), unsent),
  ]);
  return cancelled ? campaigns.find(teamId, id) : undefined;
}
