import * as campaigns from '../../data/campaigns/campaigns.ts';
import type { Settlement } from '../../data/campaigns/page-results.ts';
import type { RecipientPage } from '../../data/campaigns/recipients.ts';
import * as due from '../../data/due-jobs.ts';
import type * as webhooks from '../../data/webhooks/endpoints.ts';
import { newlySent } from '../../domain/campaigns/recipient-ledger.ts';
import type { CampaignEvent, MessagesEvent, PublishedStatus } from '../../domain/domain-event.ts';
import { timestamp } from '../../domain/time.ts';
import { wantsEmail } from '../../domain/webhooks/webhook-event.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';

const statusEvent = (campaignId: number, status: PublishedStatus, at: string): CampaignEvent => ({
  id: `${campaignId}.${at}`,
  type: `campaign.${status}`,
  campaign_id: campaignId,
});

/** Gives a campaign a status by a write that includes the outbox event, and publishes the event once it is written. */
export async function writeWithEvent<T>(
  teamId: number,
  campaignId: number,
  status: PublishedStatus,
  write: (outbox: due.DueJob) => Promise<T>,
): Promise<T> {
  const outbox = due.outboxEvent(teamId, [statusEvent(campaignId, status, timestamp())]);
  const written = await write(outbox);
  if (written) await publishDomainEvents([outbox]);
  return written;
}

/** Fails a campaign that cannot be queued, and publishes that; idempotent. */
export const failQueuing = (teamId: number, id: number, failure_reason: string) =>
  writeWithEvent(teamId, id, 'failed', (outbox) =>
    campaigns.move(teamId, id, 'fail', { failure_reason }, { status: 'queuing' }, [due.jobWrite(outbox)]),
  );

/** The outbox events of a campaign that opens for sending: its messages are queued, and it is being sent. */
export function openingOutboxEvents(
  teamId: number,
  campaignId: number,
  at: string,
): Record<'queued' | 'sending', due.DueJob> {
  const id = `${campaignId}.queued`;
  const queued: MessagesEvent = { id, type: 'email.queued', campaign_id: campaignId, sent_at: at };
  return {
    queued: due.outboxEvent(teamId, [queued]),
    sending: due.outboxEvent(teamId, [statusEvent(campaignId, 'sending', at)]),
  };
}

/** The outbox event of a page's accepted messages; undefined when no endpoint subscribes to it. */
export function sentOutboxEvent(
  teamId: number,
  campaignId: number,
  endpoints: readonly webhooks.WebhookItem[],
  page: RecipientPage,
  { claimId, before, after, sentAt }: Settlement,
): due.DueJob | undefined {
  if (!sentAt || !wantsEmail(endpoints, 'sent')) return undefined;
  const places = newlySent(before, after);
  const id = `${campaignId}.${claimId}.${places.join('-')}`;
  const { sk: leaf, number } = page;
  const sent = { campaign_id: campaignId, sent_at: sentAt, leaf, page: number, places };
  return due.outboxEvent(teamId, [{ id, type: 'email.sent', ...sent }]);
}
