import { campaignView } from '../../shared/data/campaigns/view.ts';
import { pauseCampaign as pause } from '../../shared/flows/campaigns/pause.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './find-campaign.ts';
import { campaign } from './schemas.ts';

export const pauseCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/pause',
  scope: 'campaigns:send',
  summary: 'Pause a campaign that is being sent: what is under way is finished',
  extension: true,
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, operation }) {
    const paused = await pause(teamId, await campaignOf(teamId, params), operation.id);
    return { data: await campaignView(teamId, paused) };
  },
});
