import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { deletable } from '../../shared/domain/campaigns/status.ts';
import { NotApplicable } from '../../shared/domain/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { deletion } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './find-campaign.ts';

export const deleteCampaign = endpoint({
  method: 'DELETE',
  path: '/campaigns/{campaign}',
  scope: 'campaigns:write',
  summary: 'Delete a campaign that is not on its way',
  params: campaignParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    // Remembered, so that the same request, executed again after a crash, does not find its own work missing.
    const id = await operation.memoize('campaign', async () => (await campaignOf(teamId, params)).id);
    for (;;) {
      const campaign = await campaigns.find(teamId, id);
      if (!campaign) return { data: { id, deleted: true } };
      const { status } = campaign;
      if (!deletable.includes(status)) throw new NotApplicable(`A campaign that is ${status} cannot be deleted.`);
      await campaigns.remove(teamId, campaign);
    }
  },
});
