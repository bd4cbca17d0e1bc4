import { cancelPaused } from '../data/campaign-sends.ts';
import * as campaigns from '../data/campaigns.ts';
import * as recipients from '../data/recipients.ts';

/** Cancels a draft, scheduled or paused campaign; a paused one gives back, in the same write, the emails it had not sent. Undefined when its state forbids it. */
export async function cancelCampaign(teamId: number, id: number): Promise<campaigns.CampaignItem | undefined> {
  const campaign = await campaigns.find(teamId, id);
  if (campaign?.status !== 'paused') return campaigns.move(teamId, id, 'cancel');
  const cancelled = await cancelPaused(teamId, campaign, await recipients.counts(teamId, id));
  return cancelled ? campaigns.find(teamId, id) : undefined;
}
