import { campaignView } from '../../shared/data/campaigns/view.ts';
import { resendUnknown as resend } from '../../shared/flows/campaigns/resend-unknown.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { campaign, campaignOf, campaignParams } from './schemas.ts';

export const resendUnknown = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/resend-unknown',
  scope: 'campaigns:send',
  summary: 'Send again to the recipients that stay unknown, once the provider had the time to report on them',
  extension: true,
  params: campaignParams,
  response: dataOf(campaign),

  async handle({ caller: { teamId }, params, actor }) {
    const resent = await resend(teamId, await campaignOf(teamId, params), actor);
    return { data: await campaignView(teamId, resent) };
  },
});
