import * as z from 'zod';
import { checkGates } from '../../shared/flows/launch-campaign.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { blocker, dataOf, id } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './find-campaign.ts';
import { campaignStatus } from './schemas.ts';

export const preflightCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/preflight',
  scope: 'campaigns:read',
  summary: 'Run every send check without sending',
  params: campaignParams,
  response: dataOf(
    z.object({
      campaign_id: id,
      status: campaignStatus,
      launchable: z.boolean(),
      blockers: z.array(blocker),
      estimated_recipients: z.int().nullable(),
    }),
  ),

  async handle({ caller, params }) {
    const campaign = await campaignOf(caller.teamId, params);
    const { blockers, estimatedRecipients } = await checkGates(caller.teamId, caller.plan, campaign, 'exact');
    return {
      data: {
        campaign_id: campaign.id,
        status: campaign.status,
        launchable: campaign.status === 'draft' && blockers.length === 0,
        blockers,
        estimated_recipients: estimatedRecipients,
      },
    };
  },
});
