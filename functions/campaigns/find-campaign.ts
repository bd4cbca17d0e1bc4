import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { NotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/endpoint.ts';

/** `{campaign}` in a path. */
export const campaignParams = idParams('campaign');

/** The campaign that a path names, or 404. */
export async function campaignOf(teamId: number, params: { campaign: number }): Promise<campaigns.CampaignItem> {
  const found = await campaigns.find(teamId, params.campaign);
  if (!found) throw new NotFound('campaign');
  return found;
}
