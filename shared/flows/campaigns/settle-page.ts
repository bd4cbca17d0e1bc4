import * as pageResults from '../../data/campaigns/page-results.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import * as deliveries from '../../data/events/deliveries.ts';
import { providerVerdict } from '../../data/events/of-address.ts';
import { noteDay } from '../../data/events/rows.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import { decode, type LedgerStatus, letters } from '../../domain/campaigns/recipient-ledger.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { placeIn } from '../../domain/events/place.ts';
import { timestamp } from '../../domain/time.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';
import { type Tested, variantsOf } from './ab-test.ts';
import { sentOutboxEvent } from './publish-status.ts';

const concurrency = 8;

/** Whether a page's claim ran out without a result. */
export function expired(result: pageResults.PageResult): boolean {
  return result.state === 'sending' && result.lease_until < timestamp();
}

/**
 * Marks the recipients of an expired claim as unknown: they may have been accepted. When the campaign is `over`, those
 * that were to be sent again are unknown as before.
 */
export async function markUnknown(
  teamId: number,
  campaignId: number,
  pageNumber: number,
  result: pageResults.PageResult,
  over = false,
): Promise<void> {
  const before = decode(result.statuses);
  const after = before.map((status, index): LedgerStatus => {
    const unsent = over && status === 'pending' && pageResults.isResent(result, index);
    return status === 'sending' || unsent ? 'unknown' : status;
  });
  await pageResults.settle(teamId, campaignId, { pageNumber, claimId: result.claim_id, before, after });
}

/** Mends a page that is not being sent: marks an expired claim as unknown and settles unknown recipients. */
export async function mendPage(
  teamId: number,
  campaign: Tested,
  pageNumber: number,
  result: pageResults.PageResult,
  over = false,
): Promise<void> {
  let current: pageResults.PageResult | undefined = result;
  if (expired(result) || (over && result.state === 'open')) {
    await markUnknown(teamId, campaign.id, pageNumber, result, over);
    current = await pageResults.find(teamId, campaign.id, pageNumber);
  }
  if (!current?.statuses.includes(letters.unknown)) return;
  const page = await recipients.page(teamId, campaign.id, current.leaf);
  if (page) await settleReported(teamId, campaign, page, current);
}

/**
 * Settles a page's recipients that are unknown, or were and are still to be sent again, from the provider's events;
 * false when it has reported on none of them.
 */
export async function settleReported(
  teamId: number,
  campaign: Tested,
  page: recipients.RecipientPage,
  result: pageResults.PageResult,
): Promise<boolean> {
  let before = decode(result.statuses);
  const places = before.map((_status, index) => placeIn(page.number, index));
  const delivered = await deliveries.timesOf(teamId, campaign.id, places);
  const verdicts = await Promise.all(
    before.map(async (status, index): Promise<LedgerStatus> => {
      const { email } = page.recipients[index]!;
      const inDoubt = status === 'unknown' || (status === 'pending' && pageResults.isResent(result, index));
      if (!inDoubt || email === '') return status;
      if (delivered.has(placeIn(page.number, index))) return 'sent';
      const verdict = await providerVerdict(teamId, campaign.id, email);
      if (verdict === undefined) return status;
      return verdict === 'dropped' ? 'failed' : 'sent';
    }),
  );
  const reported = verdicts.flatMap((status, index) => (status === before[index] ? [] : [index]));
  if (reported.length === 0) return false;
  const endpoints = await webhooks.active(teamId);
  // The parts of a page were sent at different times.
  const parts = Map.groupBy(reported, (index) => pageResults.partOf(result, page, index));
  for (const [part, indexes] of parts) {
    const after = before.map((status, index) => (indexes.includes(index) ? verdicts[index]! : status));
    const sentAt = pageResults.sentAtOf(result, part, indexes[0]!) ?? result.lease_until;
    await noteDay(teamId, sentAt);
    const variants = variantsOf(campaign, page);
    const settled = { pageNumber: page.number, claimId: result.claim_id, before, after, sentAt, part, variants };
    const outbox = sentOutboxEvent(teamId, campaign.id, endpoints, page, settled);
    if (!(await pageResults.settle(teamId, campaign.id, { ...settled, outbox }))) return true;
    if (outbox) await publishDomainEvents([outbox]);
    before = after;
  }
  return true;
}

/**
 * Mends the pages of a campaign that is over, from a cursor on; returns how many messages are still under way and, at
 * the deadline, the page after which to continue.
 */
export async function mendPages(
  teamId: number,
  campaign: Tested,
  from: { page: string; underWay: number } | undefined,
  deadline: number,
): Promise<{ underWay: number; page?: string }> {
  let { underWay = 0, page } = from ?? {};
  for (;;) {
    const { results, last } = await pageResults.unsettled(teamId, campaign.id, page);
    const counts = await concurrently(results, concurrency, async (result) => {
      if (result.state === 'sending' && !expired(result))
        return decode(result.statuses).filter((status) => status === 'sending').length;
      await mendPage(teamId, campaign, Number(result.sk), result, true);
      return 0;
    });
    underWay += counts.reduce((sum, count) => sum + count, 0);
    page = last;
    if (page === undefined || Date.now() > deadline) return { underWay, page };
  }
}
