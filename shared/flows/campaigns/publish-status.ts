import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as due from '../../data/due-jobs.ts';
import type * as webhooks from '../../data/webhooks/endpoints.ts';
import type { LedgerStatus } from '../../domain/campaigns/recipient-ledger.ts';
import type { CampaignEvent, MessagesEvent, PublishedStatus } from '../../domain/domain-event.ts';
import { timestamp } from '../../domain/time.ts';
import { wantsEmail } from '../../domain/webhooks/webhook-event.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';

/** The notice of a campaign's new status. */
function campaignEvent(campaignId: number, status: PublishedStatus, at: string): CampaignEvent {
  return { id: `${campaignId}.${at}`, type: `campaign.${status}`, campaign_id: campaignId };
}

/** Makes a write that gives a campaign a status, with what tells of it in the same transaction, and hands that on once it is written. */
export async function writeWithEvent<T>(
  teamId: number,
  campaignId: number,
  status: PublishedStatus,
  write: (outbox: due.DueJob) => Promise<T>,
): Promise<T> {
  const outbox = due.outboxEvent(teamId, [campaignEvent(campaignId, status, timestamp())]);
  const written = await write(outbox);
  if (written) await publishDomainEvents([outbox]);
  return written;
}

/** Fails a campaign that cannot be queued, and tells of it; again changes nothing. */
export const failQueuing = (teamId: number, id: number, failure_reason: string) =>
  writeWithEvent(teamId, id, 'failed', (outbox) =>
    campaigns.move(teamId, id, 'fail', { failure_reason }, { status: 'queuing' }, outbox),
  );

/** What tells that a campaign's messages are queued, and what that it is being sent, for the transaction that opens it. */
export function openingOutboxEvents(
  teamId: number,
  campaignId: number,
  at: string,
): Record<'queued' | 'sending', due.DueJob> {
  const queued: MessagesEvent = {
    id: `${campaignId}.queued`,
    type: 'email.queued',
    campaign_id: campaignId,
    sent_at: at,
  };
  return {
    queued: due.outboxEvent(teamId, [queued]),
    sending: due.outboxEvent(teamId, [campaignEvent(campaignId, 'sending', at)]),
  };
}

/** What tells of a page's messages that have been accepted, for the transaction that notes it; undefined where nobody wants to hear of it. */
export function sentOutboxEvent(
  teamId: number,
  campaignId: number,
  endpoints: readonly webhooks.WebhookItem[],
  page: { leaf: string; claimId: string; before: LedgerStatus[]; after: LedgerStatus[]; sentAt?: string },
): due.DueJob | undefined {
  const { leaf, claimId, before, after, sentAt } = page;
  if (!sentAt || !wantsEmail(endpoints, 'sent')) return undefined;
  const places = after.flatMap((status, index) => (status === 'sent' && before[index] !== 'sent' ? [index] : []));
  const id = `${campaignId}.${claimId}.${places.join('-')}`;
  const type = 'email.sent';
  return due.outboxEvent(teamId, [{ id, type, campaign_id: campaignId, sent_at: sentAt, leaf, places }]);
}
