import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { cancelPaused } from '../../shared/data/campaigns/sends.ts';
import { campaignView } from '../../shared/data/campaigns/view.ts';
import { jobWrite } from '../../shared/data/due-jobs.ts';
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

  async handle({ caller: { teamId }, params, actor }) {
    const found = await campaignOf(teamId, params);
    const { id, status } = found;
    const cancelled = await requestMove(teamId, found, actor, { move: 'cancel' }, (marker, row) =>
      writeWithEvent(teamId, id, 'cancelled', async (outbox) => {
        const others = [jobWrite(outbox), row];
        if (status === 'paused') return cancelPaused(teamId, found, marker, others);
        return (await campaigns.move(teamId, id, 'cancel', marker, { status }, others)) !== undefined;
      }),
    );
    return { data: await campaignView(teamId, cancelled) };
  },
});
