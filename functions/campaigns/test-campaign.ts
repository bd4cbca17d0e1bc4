import * as z from 'zod';
import { sendTests } from '../../shared/flows/campaigns/send-tests.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { address, email } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './schemas.ts';

const maxAddresses = 5;

export const testCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/test',
  scope: 'campaigns:send',
  summary: 'Send the message to up to 5 addresses, for real; it counts against the allowance, not in the report',
  params: campaignParams,
  body: z.object({
    emails: z.array(email).min(1, 'at least one address').max(maxAddresses, `at most ${maxAddresses} addresses`),
  }),
  response: dataOf(
    z.object({ sent: z.array(address), failed: z.array(z.object({ email: address, error: z.string() })) }),
  ),

  async handle({ caller, params, body, operation }) {
    const campaign = await campaignOf(caller.teamId, params);
    return { data: await sendTests(caller, campaign, body.emails, operation) };
  },
});
