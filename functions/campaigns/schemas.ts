import * as z from 'zod';
import type { CampaignItem } from '../../shared/data/campaigns.ts';
import * as recipients from '../../shared/data/recipients.ts';
import { campaignStatuses } from '../../shared/domain/campaign-status.ts';
import { engagementTypes } from '../../shared/domain/segments.ts';
import { email, ids, line, recordId, time } from '../../shared/http/schemas.ts';

const day = z.iso.date('a date such as 2026-11-20');

/** A segment definition, as `audience_filters` takes it. */
export const segmentDefinition = z.object({
  tag_ids: ids(100).nullish(),
  date_from: day.nullish(),
  date_to: day.nullish(),
  search: z.string().max(255).nullish(),
  company: z.string().max(255).nullish(),
  location: z.string().max(255).nullish(),
  engagement: z
    .object({ type: z.enum(engagementTypes), days: z.int().min(1).max(365) })
    .refine((value) => value.type !== 'received', { message: 'received is not available yet', path: ['type'] })
    .nullish(),
});

/** What creation and PATCH take; absent fields stay. */
export const campaignBody = z.object({
  name: line(255),
  subject: line(255, 0).nullish(),
  preheader: line(255, 0).nullish(),
  from_name: line(100, 0).nullish(),
  from_email: email.nullish(),
  reply_to: email.nullish(),
  audience_source: z.enum(['list', 'warehouse']).optional(),
  contact_list_id: recordId.nullish(),
  segment_id: recordId.nullish(),
  audience_filters: segmentDefinition.nullish(),
  template_id: recordId.nullish(),
  ab_test_enabled: z.boolean().optional(),
  ab_test_percentage: z.int().min(1).max(100).nullish(),
  ab_winner_metric: z.enum(['opens', 'clicks']).nullish(),
  ab_test_delay_minutes: z
    .int()
    .min(1)
    .max(30 * 24 * 60)
    .nullish(),
});

/** A campaign in a response. */
export const campaign = z
  .object({
    id: z.int(),
    name: z.string(),
    subject: z.string().nullable(),
    preheader: z.string().nullable(),
    from_name: z.string().nullable(),
    from_email: z.string().nullable(),
    reply_to: z.string().nullable(),
    status: z.enum(campaignStatuses),
    audience: z.object({
      source: z.enum(['list', 'warehouse']),
      contact_list_id: z.int().nullable(),
      filters: z.record(z.string(), z.unknown()).nullable(),
    }),
    template_id: z.int().nullable(),
    ab_test: z.object({
      enabled: z.boolean(),
      percentage: z.int().nullable(),
      winner_metric: z.string().nullable(),
      delay_minutes: z.int().nullable(),
      winner_variant_id: z.int().nullable(),
    }),
    total_recipients: z.int(),
    sent_count: z.int(),
    failed_count: z.int(),
    failure_reason: z.string().nullable(),
    scheduled_at: time.nullable(),
    sent_at: time.nullable(),
  })
  .meta({ id: 'Campaign' });

/** A campaign as the API shows it; one being sent is counted from its ledger. */
export async function campaignView(teamId: number, item: CampaignItem): Promise<z.input<typeof campaign>> {
  const counting = item.frozen_at !== undefined && (item.final === undefined || item.final === null);
  const counts = counting ? await recipients.counts(teamId, item.id) : (item.final ?? { sent: 0, failed: 0 });
  const { audience_source, contact_list_id, audience_filters, ...rest } = item;
  return {
    ...rest,
    audience: { source: audience_source, contact_list_id, filters: audience_filters && { ...audience_filters } },
    ab_test: {
      enabled: item.ab_test_enabled,
      percentage: item.ab_test_percentage,
      winner_metric: item.ab_winner_metric,
      delay_minutes: item.ab_test_delay_minutes,
      winner_variant_id: item.winner_variant_id,
    },
    sent_count: counts.sent,
    failed_count: counts.failed,
  };
}
