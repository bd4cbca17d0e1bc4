import { campaignView } from '../../shared/data/campaigns/view.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { campaign, campaignOf, campaignParams } from './schemas.ts';

export const getCampaign = endpoint({
  method: 'GET',
  path: '/campaigns/{campaign}',
  scope: 'campaigns:read',
  summary: 'Fetch a campaign',
  params: campaignParams,
  response: dataOf(campaign),
  handle: async ({ caller: { teamId }, params }) => ({
    data: await campaignView(teamId, await campaignOf(teamId, params)),
  }),
});
