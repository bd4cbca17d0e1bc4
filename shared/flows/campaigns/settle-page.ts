import * as recipients from '../../data/campaigns/recipients.ts';
import { providerVerdict } from '../../data/events/of-address.ts';
import { noteDay } from '../../data/events/rows.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import { decode, type LedgerStatus } from '../../domain/campaigns/recipient-ledger.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { timestamp } from '../../domain/time.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';
import { type Tested, variantsOf } from './ab-test.ts';
import { sentOutboxEvent } from './publish-status.ts';

const lanes = 8;

/** Whether a page's claim ran out without a result. */
export function expired(page: recipients.PageResult): boolean {
  return page.state === 'sending' && page.lease_until < timestamp();
}

/** Marks what an expired claim left without a result as unknown: it may have been accepted, so it is never sent again. */
export async function markUnknown(
  teamId: number,
  campaignId: number,
  number: number,
  page: recipients.PageResult,
): Promise<void> {
  const before = decode(page.statuses);
  const after = before.map((status): LedgerStatus => (status === 'sending' ? 'unknown' : status));
  await recipients.settle(teamId, campaignId, { page: number, claimId: page.claim_id, before, after });
}

/** Settles a page's unknown recipients from what the provider said of them. */
export async function settleUnknown(
  teamId: number,
  campaign: Tested,
  leaf: recipients.RecipientPage,
  page: recipients.PageResult,
): Promise<void> {
  let statuses = decode(page.statuses);
  const endpoints = await webhooks.active(teamId);
  const said = await Promise.all(
    statuses.map(async (status, index): Promise<LedgerStatus> => {
      const { email } = leaf.recipients[index]!;
      if (status !== 'unknown' || email === '') return status;
      const verdict = await providerVerdict(teamId, campaign.id, email);
      if (verdict === undefined) return 'unknown';
      return verdict === 'dropped' ? 'failed' : 'sent';
    }),
  );
  // The test and the rest of a page went out at two times.
  for (const part of leaf.dealt ? (['test', 'rest'] as const) : [undefined]) {
    const before = statuses;
    const after = before.map((status, index) => (recipients.partOf(leaf, index) === part ? said[index]! : status));
    if (after.every((status, index) => status === before[index])) continue;
    const sentAt = recipients.sentAtOf(page, part) ?? page.lease_until;
    await noteDay(teamId, sentAt);
    const variants = variantsOf(campaign, leaf);
    const result = { page: leaf.page, claimId: page.claim_id, before, after, sentAt, part, variants };
    const outbox = sentOutboxEvent(teamId, campaign.id, endpoints, { ...result, leaf: leaf.sk });
    if (!(await recipients.settle(teamId, campaign.id, { ...result, outbox }))) return;
    if (outbox) await publishDomainEvents([outbox]);
    statuses = after;
  }
}

/** Mends the pages of a campaign that is over: marks what dead workers left, settles what is unknown. Says how many messages are still under way; stops at the deadline. */
export async function mendPages(teamId: number, campaign: Tested, deadline: number): Promise<number> {
  const open: recipients.PageResult[] = [];
  for await (const page of recipients.unsettledPages(teamId, campaign.id)) open.push(page);
  const underWay = await concurrently(open, lanes, async (page) => {
    const { state, sk, statuses } = page;
    const late = Date.now() > deadline;
    if (state === 'sending' && (late || !expired(page))) return decode(statuses).filter((s) => s === 'sending').length;
    if (late) return 0;
    if (state === 'sending') await markUnknown(teamId, campaign.id, Number(sk), page);
    const [leaf, [row]] = await Promise.all([
      recipients.recipientPage(teamId, campaign.id, page.leaf),
      recipients.pageResults(teamId, campaign.id, [Number(sk)]),
    ]);
    if (leaf && row) await settleUnknown(teamId, campaign, leaf, row);
    return 0;
  });
  return underWay.reduce((sum, count) => sum + count, 0);
}
