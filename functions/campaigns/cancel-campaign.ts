import * as campaigns from '../../shared/data/campaigns.ts';
import { target } from '../../shared/domain/campaign-status.ts';
import { NotApplicable } from '../../shared/domain/errors.ts';
import { cancelCampaign as cancel } from '../../shared/flows/cancel-campaign.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './find-campaign.ts';
import { campaign, campaignView } from './schemas.ts';

export const cancelCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/cancel',
  scope: 'campaigns:send',
  summary: 'Cancel a draft, scheduled or paused campaign',
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, operation }) {
    // Remembered, so that the same request, executed again after a crash, knows the cancellation for its own.
    const id = await operation.once('campaign', async () => {
      const { id, status } = await campaignOf(teamId, params);
      if (!target('cancel', status)) throw new NotApplicable(`A campaign that is ${status} cannot be cancelled.`);
      return id;
    });
    const found = (await cancel(teamId, id)) ?? (await campaigns.find(teamId, id));
    if (found?.status !== 'cancelled') throw new NotApplicable('The campaign was sent at the same moment.');
    return { data: await campaignView(teamId, found) };
  },
});
