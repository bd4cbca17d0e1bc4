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

/** Marks the recipients of an expired claim as unknown: they may have been accepted, so they are never sent again. */
export async function markUnknown(
  teamId: number,
  campaignId: number,
  pageNumber: number,
  result: pageResults.PageResult,
): Promise<void> {
  const before = decode(result.statuses);
  const after = before.map((status): LedgerStatus => (status === 'sending' ? 'unknown' : status));
  await pageResults.settle(teamId, campaignId, { pageNumber, claimId: result.claim_id, before, after });
}

/** Mends a page that is not being sent: marks an expired claim as unknown and settles unknown recipients. */
export async function mendPage(
  teamId: number,
  campaign: Tested,
  pageNumber: number,
  result: pageResults.PageResult,
): Promise<void> {
  let current: pageResults.PageResult | undefined = result;
  if (expired(result)) {
    await markUnknown(teamId, campaign.id, pageNumber, result);
    current = await pageResults.find(teamId, campaign.id, pageNumber);
  }
  if (!current?.statuses.includes(letters.unknown)) return;
  const page = await recipients.page(teamId, campaign.id, current.leaf);
  if (page) await settleUnknown(teamId, campaign, page, current);
}

/** Settles a page's unknown recipients from the provider's events. */
async function settleUnknown(
  teamId: number,
  campaign: Tested,
  page: recipients.RecipientPage,
  result: pageResults.PageResult,
): Promise<void> {
  let statuses = decode(result.statuses);
  const endpoints = await webhooks.active(teamId);
  const places = statuses.map((_status, index) => placeIn(page.number, index));
  const delivered = await deliveries.timesOf(teamId, campaign.id, places);
  const verdicts = await Promise.all(
    statuses.map(async (status, index): Promise<LedgerStatus> => {
      const { email } = page.recipients[index]!;
      if (status !== 'unknown' || email === '') return status;
      if (delivered.has(placeIn(page.number, index))) return 'sent';
      const verdict = await providerVerdict(teamId, campaign.id, email);
      if (verdict === undefined) return 'unknown';
      return verdict === 'dropped' ? 'failed' : 'sent';
    }),
  );
  // The test and the rest of a page were sent at different times.
  for (const part of page.letters ? (['test', 'rest'] as const) : [undefined]) {
    const before = statuses;
    const after = before.map((status, index) => (recipients.partOf(page, index) === part ? verdicts[index]! : status));
    if (after.every((status, index) => status === before[index])) continue;
    const sentAt = pageResults.sentAtOf(result, part) ?? result.lease_until;
    await noteDay(teamId, sentAt);
    const variants = variantsOf(campaign, page);
    const settled = { pageNumber: page.number, claimId: result.claim_id, before, after, sentAt, part, variants };
    const outbox = sentOutboxEvent(teamId, campaign.id, endpoints, page, settled);
    if (!(await pageResults.settle(teamId, campaign.id, { ...settled, outbox }))) return;
    if (outbox) await publishDomainEvents([outbox]);
    statuses = after;
  }
}

/** Mends the pages of a campaign that is over; returns how many messages are still under way. */
export async function mendPages(teamId: number, campaign: Tested, deadline: number): Promise<number> {
  const open: pageResults.PageResult[] = [];
  for await (const result of pageResults.unsettled(teamId, campaign.id)) open.push(result);
  const underWay = await concurrently(open, concurrency, async (result) => {
    const late = Date.now() > deadline;
    if (result.state === 'sending' && (late || !expired(result)))
      return decode(result.statuses).filter((status) => status === 'sending').length;
    if (!late) await mendPage(teamId, campaign, Number(result.sk), result);
    return 0;
  });
  return underWay.reduce((sum, count) => sum + count, 0);
}
