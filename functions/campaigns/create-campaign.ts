import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { campaignView } from '../../shared/data/campaigns/view.ts';
import { copyTemplate } from '../../shared/flows/messages/compose-body.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { blankCampaign, campaignFields } from './campaign-fields.ts';
import { campaign, campaignBody } from './schemas.ts';

export const createCampaign = endpoint({
  method: 'POST',
  path: '/campaigns',
  scope: 'campaigns:write',
  summary: 'Create a campaign as a draft, with the body of a template when it names one',
  body: campaignBody,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, body, operation }) {
    const fields = { ...blankCampaign, ...(await campaignFields(teamId, body, blankCampaign)), name: body.name };
    const copy = fields.template_id ? await copyTemplate(teamId, fields.template_id) : undefined;
    const id = await operation.memoize('campaign_id', () => campaigns.reserveId(teamId));
    return { data: await campaignView(teamId, await campaigns.create(teamId, id, fields, copy)) };
  },
});
