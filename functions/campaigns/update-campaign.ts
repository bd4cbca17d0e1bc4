import { campaignView } from '../../shared/data/campaigns/view.ts';
import { edit } from '../../shared/flows/campaigns/edit.ts';
import { copyTemplate } from '../../shared/flows/messages/compose-body.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { campaignFields } from './campaign-fields.ts';
import { campaign, campaignBody, campaignParams } from './schemas.ts';

export const updateCampaign = endpoint({
  method: 'PATCH',
  path: '/campaigns/{campaign}',
  scope: 'campaigns:write',
  sendsWhen: 'while the campaign is scheduled',
  summary: 'Change a draft, scheduled or held campaign',
  params: campaignParams,
  body: campaignBody,
  response: dataOf(campaign),

  async handle({ caller, params, body }) {
    const { teamId } = caller;
    const changed = await edit(caller, params.campaign, async (stored) => {
      const attributes = await campaignFields(teamId, body, stored);
      const named = attributes.template_id;
      if (!named || named === stored.template_id) return { attributes };
      return { attributes, copy: await copyTemplate(teamId, named) };
    });
    return { data: await campaignView(teamId, changed) };
  },
});
