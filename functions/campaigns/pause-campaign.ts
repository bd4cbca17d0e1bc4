import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { campaignView } from '../../shared/data/campaigns/view.ts';
import { requestMove } from '../../shared/flows/campaigns/request-move.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { campaign, campaignOf, campaignParams } from './schemas.ts';

export const pauseCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/pause',
  scope: 'campaigns:send',
  summary: 'Pause a campaign that is being sent: what is under way is finished',
  extension: true,
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, actor }) {
    const found = await campaignOf(teamId, params);
    const paused = await requestMove(teamId, found, actor, { move: 'pause' }, async (marker, row) => {
      return (await campaigns.move(teamId, found.id, 'pause', marker, {}, [row])) !== undefined;
    });
    return { data: await campaignView(teamId, paused) };
  },
});
