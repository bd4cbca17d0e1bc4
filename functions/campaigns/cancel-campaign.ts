import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { cancelPaused } from '../../shared/data/campaigns/sends.ts';
import { campaignView } from '../../shared/data/campaigns/view.ts';
import { writeWithEvent } from '../../shared/flows/campaigns/publish-status.ts';
import { requestMove } from '../../shared/flows/campaigns/request-move.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { campaign, campaignOf, campaignParams } from './schemas.ts';

export const cancelCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/cancel',
  scope: 'campaigns:send',
  summary: 'Cancel a draft, scheduled or paused campaign',
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, operation }) {
    const found = await campaignOf(teamId, params);
    const { id, status } = found;
    const cancelled = await requestMove(teamId, found, operation.id, 'cancel', (marker) =>
      writeWithEvent(teamId, id, 'cancelled', async (outbox) => {
        if (status === 'paused') return cancelPaused(teamId, found, marker, outbox);
        return (await campaigns.move(teamId, id, 'cancel', marker, { status }, outbox)) !== undefined;
      }),
    );
    return { data: await campaignView(teamId, cancelled) };
  },
});
