import * as z from 'zod';
import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { auditWrite, record } from '../../shared/data/teams/audit-log.ts';
import { shareReport as share } from '../../shared/flows/reports/share-report.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { id, time } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './schemas.ts';

const dayMs = 86_400_000;

export const shareReport = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/report/share',
  scope: 'events:read',
  summary: 'Make a link to a readable report page, for people without a key; it expires',
  extension: true,
  params: campaignParams,
  body: z.object({ expires_in_days: z.int().min(1).max(365).default(30) }).meta({ id: 'ReportShare' }),
  response: dataOf(z.object({ url: z.string().meta({ format: 'uri' }), expires_at: time })),

  async handle({ caller: { teamId }, params, body, operation, actor }) {
    const campaign = await campaignOf(teamId, params);
    const expires = new Date(operation.startedAt.getTime() + body.expires_in_days * dayMs);
    const shared = await share(teamId, campaign, expires);
    const after = { expires_at: shared.expires_at };
    await record(auditWrite(teamId, actor, 'campaign.report_shared', campaign.id, { after }));
    return { data: shared };
  },
});

export const revokeReport = endpoint({
  method: 'DELETE',
  path: '/campaigns/{campaign}/report/share',
  scope: 'campaigns:write',
  summary: 'Revoke every link to the report page that was made so far',
  extension: true,
  params: campaignParams,
  response: dataOf(z.object({ campaign_id: id, revoked: z.literal(true) })),

  async handle({ caller: { teamId }, params, actor }) {
    const campaign = await campaignOf(teamId, params);
    await campaigns.revokeReports(teamId, campaign.id, actor);
    return { data: { campaign_id: campaign.id, revoked: true as const } };
  },
});
