import * as z from 'zod';
import { campaignReport } from '../../shared/flows/reports/campaign-report.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { id, time } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams, campaignStatus } from './schemas.ts';

const [count, rate] = [z.int(), z.number()];

const report = z
  .object({
    campaign_id: id,
    name: z.string(),
    subject: z.string().nullable(),
    status: campaignStatus,
    sent_at: time.nullable(),
    metrics: z.object({
      recipients: count,
      sent: count,
      delivered: count,
      opened: count,
      clicked: count,
      bounced: count,
      unsubscribed: count,
      complained: count,
      delivery_rate: rate,
      open_rate: rate,
      click_rate: rate,
      ctor: rate,
      bounce_rate: rate,
      unsubscribe_rate: rate,
      complaint_rate: rate,
    }),
    unknown: z
      .object({ recipients: count, message: z.string() })
      .optional()
      .describe('Beyond the contract: recipients whose message SES may or may not have accepted'),
  })
  .meta({ id: 'CampaignReport' });

export const getReport = endpoint({
  method: 'GET',
  path: '/campaigns/{campaign}/report',
  scope: 'events:read',
  summary: "Show a campaign's report; opens exclude machine opens",
  params: campaignParams,
  response: dataOf(report),

  async handle({ caller: { teamId }, params }) {
    const campaign = await campaignOf(teamId, params);
    const { name, subject, status, sent_at } = campaign;
    const report = await campaignReport(teamId, campaign);
    return { data: { campaign_id: campaign.id, name, subject, status, sent_at, ...report } };
  },
});
