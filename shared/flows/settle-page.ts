import * as events from '../data/events.ts';
import * as recipients from '../data/recipients.ts';
import { decode, type LedgerStatus } from '../domain/recipient-ledger.ts';
import { timestamp } from '../domain/time.ts';

/** Whether a page's claim ran out without a result. */
export function expired(page: recipients.PageItem): boolean {
  return page.state === 'sending' && page.lease_until < timestamp();
}

/** Marks what an expired claim left without a result as unknown: it may have been accepted, so it is never sent again. */
export async function markUnknown(
  teamId: number,
  campaignId: number,
  number: number,
  page: recipients.PageItem,
): Promise<void> {
  const before = decode(page.statuses);
  const after = before.map((status): LedgerStatus => (status === 'sending' ? 'unknown' : status));
  await recipients.settle(teamId, campaignId, { page: number, claimId: page.claim_id, before, after });
}

/** Settles a page's unknown recipients from what the provider said of them; true when none is left unknown. */
export async function settleUnknown(
  teamId: number,
  campaignId: number,
  leaf: recipients.Leaf,
  page: recipients.PageItem,
): Promise<boolean> {
  const before = decode(page.statuses);
  const after = await Promise.all(
    before.map(async (status, index): Promise<LedgerStatus> => {
      const { email } = leaf.recipients[index]!;
      if (status !== 'unknown' || email === '') return status;
      const said = await events.providerVerdict(teamId, campaignId, email);
      if (said === undefined) return 'unknown';
      return said === 'dropped' ? 'failed' : 'sent';
    }),
  );
  if (after.every((status, index) => status === before[index])) return !after.includes('unknown');
  const sentAt = page.sent_at ?? page.lease_until;
  await events.noteDay(teamId, sentAt);
  const settled = await recipients.settle(teamId, campaignId, {
    page: leaf.page,
    claimId: page.claim_id,
    before,
    after,
    sentAt,
  });
  return settled && !after.includes('unknown');
}
