import * as z from 'zod';
import { shareOfAccountRate } from '../../shared/data/messages/send-rate.ts';
import { estimateSend, sendWarnings } from '../../shared/domain/campaigns/send-estimate.ts';
import { pricingPlans } from '../../shared/domain/messages/sending-price.ts';
import { checkGates } from '../../shared/flows/campaigns/launch.ts';
import { accountLimits } from '../../shared/flows/messages/account-limits.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { blocker, id } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams, campaignStatus } from './schemas.ts';

export const preflightCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/preflight',
  scope: 'campaigns:read',
  summary:
    'Run every send check without sending; beyond the contract, what of the allowance is left, and how long a send ' +
    'takes at the live rate and quota of the SES account and what it costs at its prices',
  params: campaignParams,
  response: dataOf(
    z.object({
      campaign_id: id,
      status: campaignStatus,
      launchable: z.boolean(),
      blockers: z.array(blocker),
      estimated_recipients: z.int().nullable(),
      recipients_exact: z
        .boolean()
        .nullable()
        .describe('false: too many to count in time; projected from the contacts that were read'),
      allowance_remaining: z.int().nullable(),
      estimated_seconds: z.int().nullable(),
      estimated_cost_usd: z.number().nullable().describe('the sum of the parts, rounded up to cents'),
      estimated_cost_parts: z
        .object({
          ses_pricing_plan: z.enum(pricingPlans),
          ses_usd: z.number(),
          infrastructure_usd: z.number().describe('everything but SES, as measured for 30% opens and 5% clicks'),
        })
        .nullable(),
      warnings: z.array(z.enum(sendWarnings)),
    }),
  ),

  async handle({ caller, params }) {
    const campaign = await campaignOf(caller.teamId, params);
    const [{ blockers, recipients, allowanceLeft }, account] = await Promise.all([
      checkGates(caller.teamId, caller.plan, campaign, 'all'),
      accountLimits(),
    ]);
    const { seconds, price, warnings } = estimateSend(recipients?.estimate ?? 0, account, shareOfAccountRate);
    const known = recipients !== null;
    return {
      data: {
        campaign_id: campaign.id,
        status: campaign.status,
        launchable: campaign.status === 'draft' && blockers.length === 0,
        blockers,
        estimated_recipients: known ? recipients.estimate : null,
        recipients_exact: known ? recipients.exact : null,
        allowance_remaining: allowanceLeft,
        estimated_seconds: known ? seconds : null,
        estimated_cost_usd: known ? price.total : null,
        estimated_cost_parts: known
          ? { ses_pricing_plan: price.plan, ses_usd: price.ses, infrastructure_usd: price.infrastructure }
          : null,
        warnings,
      },
    };
  },
});
