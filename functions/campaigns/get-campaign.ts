import { campaignView } from '../../shared/data/campaigns/view.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { campaignOf, campaignParams } from './find-campaign.ts';
import { campaign } from './schemas.ts';

export const getCampaign = endpoint({
  method: 'GET',
  path: '/campaigns/{campaign}',
  scope: 'campaigns:read',
  summary: 'Fetch a campaign',
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params }) {
    return { data: await campaignView(teamId, await campaignOf(teamId, params)) };
  },
});
