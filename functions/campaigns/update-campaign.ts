import type { CampaignItem } from '../../shared/data/campaigns/campaigns.ts';
import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { campaignView } from '../../shared/data/campaigns/view.ts';
import { copyTemplate } from '../../shared/flows/messages/compose-body.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf } from '../../shared/http/schemas.ts';
import { campaignFields } from './campaign-fields.ts';
import { editable } from './editable-campaign.ts';
import { campaignParams } from './find-campaign.ts';
import { campaign, campaignBody } from './schemas.ts';

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
      const { item, move, seen } = await editable(teamId, params);
      const fields = await campaignFields(teamId, body, item);
      // Undefined when it changed meanwhile: then it is looked at anew.
      const changed = await change(teamId, item, { ...fields, ...move }, seen);
      if (changed) return { data: await campaignView(teamId, changed) };
    }
  },
});

/** Another template brings its body along where the campaign has none of its own. */
async function change(
  teamId: number,
  { id, status, template_id }: CampaignItem,
  attributes: Partial<CampaignItem>,
  seen: Partial<CampaignItem>,
) {
  const named = attributes.template_id;
  if (!named || named === template_id) return campaigns.change(teamId, id, [status], attributes, seen);
  return campaigns.changeWithCopy(teamId, id, [status], attributes, await copyTemplate(teamId, named), seen);
}
