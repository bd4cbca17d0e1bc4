import { campaignView } from '../../shared/data/campaigns/view.ts';
import { resumeCampaign as resume } from '../../shared/flows/campaigns/pause.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './find-campaign.ts';
import { campaign } from './schemas.ts';

export const resumeCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/resume',
  scope: 'campaigns:send',
  summary: 'Let a paused campaign go on; nobody is sent a second message',
  extension: true,
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, operation }) {
    const resumed = await resume(teamId, await campaignOf(teamId, params), operation.id);
    return { data: await campaignView(teamId, resumed) };
  },
});
