import { campaignView } from '../../shared/data/campaigns/view.ts';
import { cancelCampaign as cancel } from '../../shared/flows/campaigns/cancel.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './find-campaign.ts';
import { campaign } from './schemas.ts';

export const cancelCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/cancel',
  scope: 'campaigns:send',
  summary: 'Cancel a draft, scheduled or paused campaign',
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, operation }) {
    const cancelled = await cancel(teamId, await campaignOf(teamId, params), operation.id);
    return { data: await campaignView(teamId, cancelled) };
  },
});
