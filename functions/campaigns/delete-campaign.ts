import * as campaigns from '../../shared/data/campaigns.ts';
import { deletable } from '../../shared/domain/campaign-status.ts';
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

  async handle({ caller: { teamId }, params }) {
    for (;;) {
      const campaign = await campaignOf(teamId, params);
      const { id, status } = campaign;
      if (!deletable.includes(status)) throw new NotApplicable(`A campaign that is ${status} cannot be deleted.`);
      if (await campaigns.remove(teamId, campaign)) return { data: { id, deleted: true } };
    }
  },
});
