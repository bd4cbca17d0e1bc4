import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as due from '../../data/due-jobs.ts';
import type * as webhooks from '../../data/webhooks/endpoints.ts';
import type { LedgerStatus } from '../../domain/campaigns/recipient-ledger.ts';
import type { CampaignNotice, MessagesNotice, ToldStatus } from '../../domain/domain-event.ts';
import { timestamp } from '../../domain/time.ts';
import { wantsEmail } from '../../domain/webhooks/webhook-event.ts';
import { publishNotices } from '../publish-domain-events.ts';

/** The notice of a campaign's new status. */
function campaignNotice(campaignId: number, status: ToldStatus, at: string): CampaignNotice {
  return { id: `${campaignId}.${at}`, type: `campaign.${status}`, campaign_id: campaignId };
}

/** Makes a write that gives a campaign a status, with what tells of it in the same transaction, and hands that on once it is written. */
export async function tellingOf<T>(
  teamId: number,
  campaignId: number,
  status: ToldStatus,
  write: (outbox: due.DueItem) => Promise<T>,
): Promise<T> {
  const outbox = due.outbox(teamId, [campaignNotice(campaignId, status, timestamp())]);
  const written = await write(outbox);
  if (written) await publishNotices([outbox]);
  return written;
}

/** Fails a campaign that cannot be queued, and tells of it; again changes nothing. */
export const failQueuing = (teamId: number, id: number, failure_reason: string) =>
  tellingOf(teamId, id, 'failed', (outbox) =>
    campaigns.move(teamId, id, 'fail', { failure_reason }, { status: 'queuing' }, outbox),
  );

/** What tells that a campaign's messages are queued, and what that it is being sent, for the transaction that opens it. */
export function openingOf(teamId: number, campaignId: number, at: string): Record<'queued' | 'sending', due.DueItem> {
  const queued: MessagesNotice = {
    id: `${campaignId}.queued`,
    type: 'email.queued',
    campaign_id: campaignId,
    sent_at: at,
  };
  return {
    queued: due.outbox(teamId, [queued]),
    sending: due.outbox(teamId, [campaignNotice(campaignId, 'sending', at)]),
  };
}

/** What tells of a page's messages that have been accepted, for the transaction that notes it; undefined where nobody wants to hear of it. */
export function sentOf(
  teamId: number,
  campaignId: number,
  endpoints: readonly webhooks.WebhookItem[],
  page: { leaf: string; claimId: string; before: LedgerStatus[]; after: LedgerStatus[]; sentAt?: string },
): due.DueItem | undefined {
  const { leaf, claimId, before, after, sentAt } = page;
  if (!sentAt || !wantsEmail(endpoints, 'sent')) return undefined;
  const places = after.flatMap((status, index) => (status === 'sent' && before[index] !== 'sent' ? [index] : []));
  const id = `${campaignId}.${claimId}.${places.join('-')}`;
  const type = 'email.sent';
  return due.outbox(teamId, [{ id, type, campaign_id: campaignId, sent_at: sentAt, leaf, places }]);
}
