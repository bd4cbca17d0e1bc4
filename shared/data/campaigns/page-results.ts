import {
  decode,
  difference,
  encode,
  type LedgerStatus,
  letters,
  newlySent,
} from '../../domain/campaigns/recipient-ledger.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { sentEvents } from '../events/rows.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';
import type { CampaignItem } from './campaigns.ts';
import * as recipients from './recipients.ts';
import * as sendCounters from './send-counters.ts';

/** Seconds until a claimed page without a result is unknown; longer than the SES client waits. */
export const leaseSeconds = 30;

/** What happened to a recipient page; absent until a worker claims it. */
export interface PageResult extends Key {
  /** `open`: some recipients are still to be sent; `sending`: claimed; `done`: all have a result. */
  state: 'open' | 'sending' | 'done';
  /** The sort key of the recipient page. */
  leaf: string;
  /** A letter per recipient (domain/campaigns/recipient-ledger). */
  statuses: string;
  errors?: Record<string, string>;
  claim_id: string;
  lease_until: string;
  /** When its messages were sent; in a campaign with an A/B test, those of the test. */
  sent_at?: string;
  /** When the messages outside the A/B test were sent. */
  rest_sent_at?: string;
  /** Recipients that were unknown and are sent again, by index, with the time when they were; empty until then. */
  resent?: Record<string, string>;
}

/** The claim of a page that no worker has claimed. */
const noClaim = 'none';

/** The result of a page that no worker has claimed. */
export const unclaimed = (
  teamId: number,
  campaignId: number,
  { number, recipients: { length } }: recipients.RecipientPage,
  leaf: string,
): PageResult => ({
  ...keys.page(teamId, campaignId, number),
  state: 'open',
  leaf,
  statuses: encode(Array<LedgerStatus>(length).fill('pending')),
  errors: {},
  claim_id: noClaim,
  lease_until: timestamp(),
});

/** Reads what a worker needs to send a page, in one call unless an erasure has changed the page's key. */
export async function forSending(
  teamId: number,
  campaignId: number,
  pageNumber: number,
  sk: string,
): Promise<{
  campaign: CampaignItem | undefined;
  page: recipients.RecipientPage | undefined;
  result: PageResult | undefined;
}> {
  const [campaign, page, result] = await table.batchGet<table.Item>([
    keys.campaign(teamId, campaignId),
    keys.leaf(teamId, campaignId, sk),
    keys.page(teamId, campaignId, pageNumber),
  ]);
  const now = result as PageResult | undefined;
  return {
    campaign: campaign as CampaignItem | undefined,
    page: page
      ? recipients.fromItem(page as Parameters<typeof recipients.fromItem>[0])
      : now && (await recipients.page(teamId, campaignId, now.leaf)),
    result: now,
  };
}

/** Reads page results in the order of the page numbers; undefined where no worker has claimed the page yet. */
export function batch(
  teamId: number,
  campaignId: number,
  pageNumbers: readonly number[],
): Promise<(PageResult | undefined)[]> {
  return table.batchGet<PageResult>(pageNumbers.map((number) => keys.page(teamId, campaignId, number)));
}

/** Reads the result of one page; undefined when no worker has claimed it yet. */
export async function find(teamId: number, campaignId: number, pageNumber: number): Promise<PageResult | undefined> {
  return (await batch(teamId, campaignId, [pageNumber]))[0];
}

/** Reads a recipient page that was claimed before, by its number. */
export async function pageByNumber(
  teamId: number,
  campaignId: number,
  pageNumber: number,
): Promise<recipients.RecipientPage | undefined> {
  const result = await find(teamId, campaignId, pageNumber);
  return result && recipients.page(teamId, campaignId, result.leaf);
}

/**
 * Claims a page right before the provider is called; false when another worker has or had it. An erasure may have
 * changed the page's key since the page was read, and has then written it into the result.
 */
export function claim(
  teamId: number,
  campaignId: number,
  page: recipients.RecipientPage,
  { before, statuses, claimId }: { before: PageResult | undefined; statuses: LedgerStatus[]; claimId: string },
): Promise<boolean> {
  const open = 'claim_id = :claim OR (#state = :open AND claim_id = :previous)';
  const lease = 'statuses = :statuses, claim_id = :claim, lease_until = :until';
  const kept = 'errors = if_not_exists(errors, :none), leaf = if_not_exists(leaf, :leaf)';
  return table.writeIf({
    Key: keys.page(teamId, campaignId, page.number),
    UpdateExpression: `SET #state = :sending, ${lease}, ${kept}`,
    ConditionExpression: before ? open : `attribute_not_exists(pk) OR ${open}`,
    ExpressionAttributeValues: {
      ':sending': 'sending',
      ':leaf': page.sk,
      ':statuses': encode(statuses),
      ':claim': claimId,
      ':until': timestamp(Date.now() + leaseSeconds * 1000),
      ':none': {},
      ':open': 'open',
      ':previous': before?.claim_id ?? noClaim,
    },
  });
}

/** New statuses of a claimed page. */
export interface Settlement {
  pageNumber: number;
  claimId: string;
  before: LedgerStatus[];
  after: LedgerStatus[];
  errors?: Record<string, string>;
  /** When the page was sent, where the provider accepted a message of it. */
  sentAt?: string;
  /** The part that was sent and, in a campaign with an A/B test, each recipient's variant. */
  part?: recipients.Part;
  variants?: readonly (number | undefined)[];
  /** Replaces the marks of recipients that are sent again. */
  resent?: Record<string, string>;
  /** Written in the same transaction. */
  outbox?: due.DueJob;
}

/** Writes a page's statuses, the counters and the `sent` row together; false when the page changed. */
export async function settle(teamId: number, campaignId: number, settlement: Settlement): Promise<boolean> {
  const { pageNumber, before, after, sentAt, part, variants = [], outbox } = settlement;
  // The row stands for all of the page's messages: only the first call writes it.
  const isFirst = part !== undefined || !before.includes('sent');
  return table.transactIf([
    { Update: { Key: keys.page(teamId, campaignId, pageNumber), ...statusUpdate(settlement) } },
    sendCounters.addition(
      teamId,
      campaignId,
      pageNumber,
      difference(before, after),
      sentByVariant(before, after, variants),
    ),
    ...(sentAt && isFirst ? [{ Put: { Item: await sentEvents(teamId, campaignId, pageNumber, sentAt, part) } }] : []),
    ...(outbox ? [due.jobWrite(outbox)] : []),
  ]);
}

function statusUpdate({ claimId, before, after, errors, sentAt, part, resent }: Settlement) {
  // Recipient by recipient: a page may be sent in several attempts, each with errors of its own.
  const marks = Object.entries(errors ?? {});
  const errorChanges = marks.map(([index]) => `, errors.#at${index} = :at${index}`).join('');
  const sentAgain = part === 'resent' ? newlySent(before, after) : [];
  const sentAtName = part === 'rest' ? 'rest_sent_at' : 'sent_at';
  const sentAtChange = sentAt && part !== 'resent' ? `, ${sentAtName} = if_not_exists(${sentAtName}, :sent_at)` : '';
  const marksChange = resent
    ? ', resent = :resent'
    : sentAgain.map((index) => `, resent.#at${index} = :sent_at`).join('');
  return {
    UpdateExpression: `SET #state = :state, statuses = :after${errorChanges}${sentAtChange}${marksChange}`,
    ConditionExpression: 'claim_id = :claim AND statuses = :before',
    ExpressionAttributeNames: Object.fromEntries(
      [...marks.map(([index]) => index), ...sentAgain].map((index) => [`#at${index}`, String(index)]),
    ),
    ExpressionAttributeValues: {
      ...Object.fromEntries(marks.map(([index, error]) => [`:at${index}`, error])),
      ':state': after.includes('sending') ? 'sending' : after.includes('pending') ? 'open' : 'done',
      ':after': encode(after),
      ':claim': claimId,
      ':before': encode(before),
      ...((sentAtChange || sentAgain.length > 0) && { ':sent_at': sentAt }),
      ...(resent && { ':resent': resent }),
    },
  };
}

/** Opens a page for its unknown recipients to be sent again, and marks them; false when the page changed. */
export function reopen(teamId: number, campaignId: number, pageNumber: number, result: PageResult): Promise<boolean> {
  const before = decode(result.statuses);
  const after = before.map((status): LedgerStatus => (status === 'unknown' ? 'pending' : status));
  const resent = { ...result.resent };
  for (const [index, status] of before.entries()) if (status === 'unknown') resent[index] = '';
  return settle(teamId, campaignId, { pageNumber, claimId: result.claim_id, before, after, resent });
}

function sentByVariant(
  before: readonly LedgerStatus[],
  after: readonly LedgerStatus[],
  variants: readonly (number | undefined)[],
): Map<number, number> {
  const added = new Map<number, number>();
  for (const [index, variant] of variants.entries()) {
    const change = Number(after[index] === 'sent') - Number(before[index] === 'sent');
    if (variant !== undefined && change !== 0) added.set(variant, (added.get(variant) ?? 0) + change);
  }
  return added;
}

/** Whether a recipient was unknown and is sent again. */
export const isResent = (result: Pick<PageResult, 'resent'> | undefined, index: number): boolean =>
  result?.resent?.[index] !== undefined;

/** What a recipient of a page is sent with: a part of the A/B test, or those that are sent again. */
export const partOf = (
  result: PageResult | undefined,
  page: recipients.RecipientPage,
  index: number,
): recipients.Part | undefined => (isResent(result, index) ? 'resent' : recipients.partOf(page, index));

/** When a recipient's message was sent, if it was accepted. */
export function sentAtOf(
  result: Pick<PageResult, 'sent_at' | 'rest_sent_at' | 'resent'> | undefined,
  part: recipients.Part | undefined,
  index: number,
): string | undefined {
  if (isResent(result, index)) return result?.resent?.[index] || undefined;
  return part === 'rest' ? result?.rest_sent_at : result?.sent_at;
}

/** The statuses of a page's recipients; all pending where there is no result yet. */
export function statusesOf(result: PageResult | undefined, size: number): LedgerStatus[] {
  return result ? decode(result.statuses) : Array<LedgerStatus>(size).fill('pending');
}

/** Pages that `unsettled` reads at once. */
const readAtOnce = 200;

/**
 * The results, among the next 200 after a page, of pages that are claimed, or have recipients that are unknown or were
 * and are sent again; with the page after which to continue, undefined at the end.
 */
export async function unsettled(
  teamId: number,
  campaignId: number,
  after = ' ',
): Promise<{ results: PageResult[]; last: string | undefined }> {
  const { items, next } = await table.query<PageResult>({
    KeyConditionExpression: 'pk = :pk AND sk > :after',
    FilterExpression:
      '#state = :sending OR contains(statuses, :unknown) OR (#state = :open AND attribute_exists(resent))',
    ExpressionAttributeValues: {
      ':pk': partitions.pages(teamId, campaignId),
      ':after': after,
      ':sending': 'sending',
      ':open': 'open',
      ':unknown': letters.unknown,
    },
    ConsistentRead: true,
    Limit: readAtOnce,
  });
  return { results: items, last: next?.sk as string | undefined };
}
