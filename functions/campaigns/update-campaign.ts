import * as campaigns from '../../shared/data/campaigns.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf } from '../../shared/http/schemas.ts';
import { campaignFields } from './campaign-fields.ts';
import { editable } from './editable-campaign.ts';
import { campaignParams } from './find-campaign.ts';
import { campaign, campaignBody, campaignView } from './schemas.ts';

export const updateCampaign = endpoint({
  method: 'PATCH',
  path: '/campaigns/{campaign}',
  scope: 'campaigns:write',
  summary: 'Change a draft, scheduled or held campaign',
  params: campaignParams,
  body: campaignBody,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, body }) {
    for (;;) {
      const { item, move } = await editable(teamId, params);
      const fields = await campaignFields(teamId, body, item);
      // Undefined when its state changed meanwhile: then it is looked at anew.
      const changed = await campaigns.change(teamId, item.id, [item.status], { ...fields, ...move });
      if (changed) return { data: await campaignView(teamId, changed) };
    }
  },
});
