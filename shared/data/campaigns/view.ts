import type { CampaignItem } from './campaigns.ts';
import { outcome } from './send-counters.ts';

/** A campaign as the API shows it; while it is sent, with its current counters. */
export async function campaignView(teamId: number, item: CampaignItem) {
  const { sent, failed } = await outcome(teamId, item);
  return {
    id: item.id,
    name: item.name,
    subject: item.subject,
    preheader: item.preheader,
    from_name: item.from_name,
    from_email: item.from_email,
    reply_to: item.reply_to,
    status: item.status,
    audience: {
      source: item.audience_source,
      contact_list_id: item.contact_list_id,
      filters: item.audience_filters,
    },
    template_id: item.template_id,
    ab_test: {
      enabled: item.ab_test_enabled,
      percentage: item.ab_test_percentage,
      winner_metric: item.ab_winner_metric,
      delay_minutes: item.ab_test_delay_minutes,
      winner_variant_id: item.winner_variant_id,
    },
    total_recipients: item.total_recipients,
    sent_count: sent,
    failed_count: failed,
    failure_reason: item.failure_reason,
    scheduled_at: item.scheduled_at,
    sent_at: item.sent_at,
  };
}
