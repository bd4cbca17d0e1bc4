import { campaignView } from '../../shared/data/campaigns/view.ts';
import { launch } from '../../shared/flows/campaigns/launch.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { campaign, campaignOf, campaignParams } from './schemas.ts';

export const sendCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/send',
  scope: 'campaigns:send',
  summary: 'Send a draft that passes every gate; an Idempotency-Key is advised',
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller, params, actor }) {
    const launched = await launch(caller, await campaignOf(caller.teamId, params), actor);
    return { data: await campaignView(caller.teamId, launched) };
  },
});
