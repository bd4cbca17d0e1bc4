import type { CampaignItem } from '../../shared/data/campaigns/campaigns.ts';
import { editable as editableStates, target } from '../../shared/domain/campaigns/status.ts';
import { NotApplicable } from '../../shared/domain/errors.ts';
import { campaignOf } from './find-campaign.ts';

/** The campaign that a path names, the move that editing it makes (a held one returns to draft), and what the edit must find as it was `seen`; 422 where it is past editing. */
export async function editable(
  teamId: number,
  params: { campaign: number },
): Promise<{ item: CampaignItem; move: Partial<CampaignItem>; seen: Pick<CampaignItem, 'updated_at'> }> {
  const item = await campaignOf(teamId, params);
  if (!editableStates.includes(item.status))
    throw new NotApplicable(`A campaign that is ${item.status} cannot be changed.`);
  const status = target('reopen', item.status);
  const move = status ? { status, failure_reason: null, scheduled_at: null } : {};
  return { item, move, seen: { updated_at: item.updated_at } };
}
