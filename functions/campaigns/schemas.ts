import * as z from 'zod';
import * as campaigns from '../../shared/data/campaigns/campaigns.ts';
import { audienceSources, winnerMetrics } from '../../shared/domain/campaigns/options.ts';
import { campaignStatuses } from '../../shared/domain/campaigns/status.ts';
import { segmentDefinition, segmentDefinitionInput } from '../../shared/http/audience-schemas.ts';
import { pathRecord } from '../../shared/http/endpoint.ts';
import { address, email, id, recordId, singleLine, time } from '../../shared/http/schemas.ts';

/** The body of creation and PATCH; absent fields stay. */
export const campaignBody = z
  .object({
    name: singleLine(255),
    subject: singleLine(255, 0).nullish(),
    preheader: singleLine(255, 0).nullish(),
    from_name: singleLine(100, 0).nullish(),
    from_email: email.nullish(),
    reply_to: email.nullish(),
    audience_source: z.enum(audienceSources).optional(),
    contact_list_id: recordId.nullish(),
    segment_id: recordId
      .nullish()
      .describe(
        "Copies the segment's definition to the campaign, in place of `audience_filters`; " +
          'later changes of the segment do not reach it. `null` does nothing',
      ),
    audience_filters: segmentDefinitionInput.nullish(),
    template_id: recordId.nullish().describe('Copies the template in where the campaign has no body of its own'),
    ab_test_enabled: z.boolean().optional(),
    ab_test_percentage: z.int().min(1).max(100).nullish(),
    ab_winner_metric: z.enum(winnerMetrics).nullish(),
    ab_test_delay_minutes: z
      .int()
      .min(1)
      .max(30 * 24 * 60)
      .nullish(),
  })
  .meta({ id: 'CampaignInput' });

/** The status of a campaign. */
export const campaignStatus = z.enum(campaignStatuses).meta({ id: 'CampaignStatus' });

/** A campaign in a response. */
export const campaign = z
  .object({
    id,
    name: z.string(),
    subject: z.string().nullable(),
    preheader: z.string().nullable(),
    from_name: z.string().nullable(),
    from_email: address.nullable(),
    reply_to: address.nullable(),
    status: campaignStatus,
    audience: z.object({
      source: z.enum(audienceSources),
      contact_list_id: id.nullable(),
      filters: segmentDefinition.nullable(),
    }),
    template_id: id.nullable(),
    ab_test: z.object({
      enabled: z.boolean(),
      percentage: z.int().nullable(),
      winner_metric: z.enum(winnerMetrics).nullable(),
      delay_minutes: z.int().nullable(),
      winner_variant_id: id.nullable(),
    }),
    total_recipients: z.int(),
    sent_count: z.int(),
    failed_count: z.int(),
    failure_reason: z.string().nullable(),
    scheduled_at: time.nullable(),
    sent_at: time.nullable(),
  })
  .meta({ id: 'Campaign' });

/** `{campaign}` in a path, and the campaign that it names, or 404. */
export const [campaignParams, campaignOf] = pathRecord('campaign', campaigns.find);
