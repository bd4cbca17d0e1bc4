import { variantOf } from '../../domain/campaigns/ab-test.ts';
import {
  decode,
  difference,
  encode,
  type LedgerStatus,
  letters,
  type Tally,
} from '../../domain/campaigns/recipient-ledger.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { sentEvents } from '../events/rows.ts';
import { keys, partitions, sendStatsPrefix } from '../keys.ts';
import * as table from '../table.ts';
import type { CampaignItem } from './campaigns.ts';

/** Recipients on a page: one SendBulkEmail call's worth (SES: at most 50 destinations). */
export const pageSize = 50;

const statsShards = 8;
/** How long a claimed page may go without a result before its recipients count as unknown; longer than the SES client waits. */
export const leaseSeconds = 30;

/** Somebody in a frozen audience; both are empty after an erasure. */
export interface Recipient {
  email: string;
  /** 0 for an address that is not a contact. */
  contact_id: number;
}

/** A frozen page: up to 50 recipients in address order, written once. */
export interface RecipientPage {
  page: number;
  sk: string;
  recipients: Recipient[];
  /** In a campaign with an A/B test: a letter per recipient (domain/ab-test). */
  dealt?: string;
}

interface RecipientPageItem {
  pk: string;
  sk: string;
  page: number;
  /** Addresses, one a line, and contact ids between commas: packed, since it is written per million recipients. */
  emails: string;
  contact_ids: string;
  dealt?: string;
}

/** What happened to a page; absent until a worker claims it. */
export interface PageResult {
  pk: string;
  sk: string;
  /** `open` has recipients left to send, `sending` is claimed, `done` is not. */
  state: 'open' | 'sending' | 'done';
  leaf: string;
  /** A letter per recipient (domain/recipient-ledger). */
  statuses: string;
  errors?: Record<string, string>;
  claim_id: string;
  lease_until: string;
  /** When its messages were sent; in a campaign with an A/B test, those of the test. */
  sent_at?: string;
  /** When those were sent who were not in the A/B test. */
  rest_sent_at?: string;
}

/** A leaf's item, for the transaction that moves the freeze's cursor past it. */
export function recipientPageItem(
  teamId: number,
  campaignId: number,
  page: number,
  recipients: readonly Recipient[],
  dealt?: string,
): RecipientPageItem {
  return {
    ...keys.leaf(teamId, campaignId, recipients[0]!.email),
    page,
    emails: recipients.map((recipient) => recipient.email).join('\n'),
    contact_ids: recipients.map((recipient) => recipient.contact_id).join(','),
    ...(dealt && { dealt }),
  };
}

function fromItem(item: RecipientPageItem): RecipientPage {
  const ids = item.contact_ids.split(',');
  return {
    page: item.page,
    sk: item.sk,
    ...(item.dealt && { dealt: item.dealt }),
    recipients: item.emails.split('\n').map((email, index) => ({ email, contact_id: Number(ids[index]) })),
  };
}

/** Reads one leaf. */
export async function recipientPage(
  teamId: number,
  campaignId: number,
  sk: string,
): Promise<RecipientPage | undefined> {
  const item = await table.get<RecipientPageItem>(keys.leaf(teamId, campaignId, sk));
  return item && fromItem(item);
}

/** Reads what a worker needs to know of a page, in one call: its campaign, its leaf, and what happened to it so far. */
export async function forSending(
  teamId: number,
  campaignId: number,
  page: number,
  sk: string,
): Promise<{ campaign: CampaignItem | undefined; leaf: RecipientPage | undefined; row: PageResult | undefined }> {
  const wanted = [
    keys.campaign(teamId, campaignId),
    keys.leaf(teamId, campaignId, sk),
    keys.page(teamId, campaignId, page),
  ];
  const [campaign, recipientPage, row] = await table.batchGet<table.Item>(wanted);
  return {
    campaign: campaign as CampaignItem | undefined,
    leaf: recipientPage && fromItem(recipientPage as RecipientPageItem),
    row: row as PageResult | undefined,
  };
}

/** The leaf that an address is on if it is a recipient: the last one that begins at or before it. */
export async function pageAround(
  teamId: number,
  campaignId: number,
  email: string,
): Promise<RecipientPage | undefined> {
  const { items } = await table.query<RecipientPageItem>({
    KeyConditionExpression: 'pk = :pk AND sk <= :email',
    ExpressionAttributeValues: { ':pk': partitions.recipients(teamId, campaignId), ':email': email },
    ScanIndexForward: false,
    Limit: 1,
    ConsistentRead: true,
  });
  return items[0] && fromItem(items[0]);
}

/** Finds the recipient with an address. */
export async function locate(
  teamId: number,
  campaignId: number,
  email: string,
): Promise<{ leaf: RecipientPage; index: number } | undefined> {
  const recipientPage = await pageAround(teamId, campaignId, email);
  const index = recipientPage?.recipients.findIndex((recipient) => recipient.email === email) ?? -1;
  return recipientPage && index >= 0 ? { leaf: recipientPage, index } : undefined;
}

/** Leaves in address order, strictly after (or before) one, `count` at most. */
export async function recipientPages(
  teamId: number,
  campaignId: number,
  range: { from?: string; inclusive?: boolean; backward?: boolean; count: number },
): Promise<RecipientPage[]> {
  const { from, backward, count, inclusive } = range;
  const operator = `${backward ? '<' : '>'}${inclusive ? '=' : ''}`;
  const { items } = await table.query<RecipientPageItem>({
    KeyConditionExpression: from === undefined ? 'pk = :pk' : `pk = :pk AND sk ${operator} :from`,
    ExpressionAttributeValues: {
      ':pk': partitions.recipients(teamId, campaignId),
      ...(from !== undefined && { ':from': from }),
    },
    ScanIndexForward: !backward,
    Limit: count,
    ConsistentRead: true,
  });
  return items.map(fromItem);
}

/** Reads what happened to pages, in the order asked for; undefined where no worker was yet. */
export function pageResults(
  teamId: number,
  campaignId: number,
  numbers: readonly number[],
): Promise<(PageResult | undefined)[]> {
  return table.batchGet<PageResult>(numbers.map((page) => keys.page(teamId, campaignId, page)));
}

/** Claims a page right before the provider is called; false when another worker has it or had it. A claim whose answer was lost is still ours. */
export async function claim(
  teamId: number,
  campaignId: number,
  input: { page: number; leaf: string; before: PageResult | undefined; statuses: LedgerStatus[]; claimId: string },
): Promise<boolean> {
  const claimed = await table.updateIf({
    Key: keys.page(teamId, campaignId, input.page),
    UpdateExpression:
      'SET #state = :sending, leaf = :leaf, statuses = :statuses, claim_id = :claim, lease_until = :until, errors = if_not_exists(errors, :none)',
    ConditionExpression: `claim_id = :claim OR ${input.before ? '(#state = :open AND claim_id = :previous)' : 'attribute_not_exists(pk)'}`,
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':sending': 'sending',
      ':leaf': input.leaf,
      ':statuses': encode(input.statuses),
      ':claim': input.claimId,
      ':until': timestamp(Date.now() + leaseSeconds * 1000),
      ':none': {},
      ...(input.before && { ':open': 'open', ':previous': input.before.claim_id }),
    },
    ReturnValues: 'NONE',
  });
  return claimed !== undefined;
}

/** Writes a page's new statuses with the campaign's counters and the row of its `sent` events, in one transaction; false when the page is no longer this claim's or no longer as it was read. */
export async function settle(
  teamId: number,
  campaignId: number,
  input: {
    page: number;
    claimId: string;
    before: LedgerStatus[];
    after: LedgerStatus[];
    errors?: Record<string, string>;
    /** When the page went out, where somebody on it was accepted. */
    sentAt?: string;
    /** Whose messages it is about in a campaign with an A/B test, and each recipient's variant. */
    part?: Part;
    variants?: readonly (number | undefined)[];
    /** What tells of it. */
    outbox?: due.DueJob;
  },
): Promise<boolean> {
  const { page, claimId, before, after, errors, sentAt, part, variants = [], outbox } = input;
  const open = after.includes('pending');
  const delta = difference(before, after);
  // Place by place: a page is sent in several goes, and each has errors of its own.
  const marks = Object.entries(errors ?? {});
  const sentAtName = part === 'rest' ? 'rest_sent_at' : 'sent_at';
  const ofVariants = sentOfVariants(before, after, variants);
  return table.transactIf([
    {
      Update: {
        Key: keys.page(teamId, campaignId, page),
        UpdateExpression: `SET #state = :state, statuses = :after${marks.map(([place]) => `, errors.#at${place} = :at${place}`).join('')}${sentAt ? `, ${sentAtName} = if_not_exists(${sentAtName}, :sent_at)` : ''}`,
        ConditionExpression: 'claim_id = :claim AND statuses = :before',
        ExpressionAttributeNames: {
          '#state': 'state',
          ...Object.fromEntries(marks.map(([place]) => [`#at${place}`, place])),
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(marks.map(([place, error]) => [`:at${place}`, error])),
          ':state': open ? 'open' : 'done',
          ':after': encode(after),
          ':claim': claimId,
          ':before': encode(before),
          ...(sentAt && { ':sent_at': sentAt }),
        },
      },
    },
    {
      Update: {
        Key: keys.sendStats(teamId, campaignId, page % statsShards),
        UpdateExpression: `ADD sent :sent, failed :failed, suppressed :suppressed, unknown_count :unknown${[...ofVariants.keys()].map((id) => `, sent_${id} :sent_${id}`).join('')}`,
        ExpressionAttributeValues: {
          ...Object.fromEntries([...ofVariants].map(([id, count]) => [`:sent_${id}`, count])),
          ':sent': delta.sent,
          ':failed': delta.failed,
          ':suppressed': delta.suppressed,
          ':unknown': delta.unknown,
        },
      },
    },
    ...(sentAt ? [{ Put: { Item: sentEvents(teamId, campaignId, page, page * pageSize, sentAt, part) } }] : []),
    ...(outbox ? [due.jobWrite(outbox)] : []),
  ]);
}

/** What a change of a page's statuses adds to the messages of each variant. */
function sentOfVariants(
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

/** The part of a campaign's A/B test that a recipient belongs to. */
export type Part = 'test' | 'rest';

/** The part that a place of a leaf belongs to; undefined where the campaign has no test. */
export const partOf = ({ dealt }: Pick<RecipientPage, 'dealt'>, index: number): Part | undefined =>
  dealt === undefined ? undefined : variantOf(dealt[index]) === undefined ? 'rest' : 'test';

/** When a recipient's message went out, if it was accepted. */
export const sentAtOf = (
  page: Pick<PageResult, 'sent_at' | 'rest_sent_at'> | undefined,
  part: Part | undefined,
): string | undefined => (part === 'rest' ? page?.rest_sent_at : page?.sent_at);

/** The statuses of a page row; all pending where there is none. */
export function statusesOf(page: PageResult | undefined, size: number): LedgerStatus[] {
  return page ? decode(page.statuses) : Array<LedgerStatus>(size).fill('pending');
}

type Stats = Record<`sent_${number}`, number> & {
  sent: number;
  failed: number;
  suppressed: number;
  unknown_count: number;
};

async function stats(teamId: number, campaignId: number): Promise<Stats[]> {
  const { items } = await table.query<Stats>({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :stats)',
    ExpressionAttributeValues: { ':pk': partitions.campaign(teamId, campaignId), ':stats': sendStatsPrefix },
    ConsistentRead: true,
  });
  return items;
}

/** The campaign's counters: how many recipients are accounted for, and how. */
export async function counts(teamId: number, campaignId: number): Promise<Tally> {
  const items = await stats(teamId, campaignId);
  const total = { sent: 0, failed: 0, suppressed: 0, unknown: 0 };
  for (const item of items) {
    total.sent += item.sent;
    total.failed += item.failed;
    total.suppressed += item.suppressed;
    total.unknown += item.unknown_count;
  }
  return total;
}

/** How many messages of each variant were accepted, in the order of the ids asked for. */
export async function sentByVariant(teamId: number, campaignId: number, ids: readonly number[]): Promise<number[]> {
  const items = await stats(teamId, campaignId);
  return ids.map((id) => items.reduce((sum, item) => sum + (item[`sent_${id}`] ?? 0), 0));
}

/** The pages on which something is under way or unknown. */
export function unsettledPages(teamId: number, campaignId: number): AsyncGenerator<PageResult> {
  return table.queryAll<PageResult>({
    KeyConditionExpression: 'pk = :pk',
    FilterExpression: '#state = :sending OR contains(statuses, :unknown)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':pk': partitions.pages(teamId, campaignId),
      ':sending': 'sending',
      ':unknown': letters.unknown,
    },
    ConsistentRead: true,
  });
}

/** How many messages of a campaign were accepted and how many failed: from its own row once it has ended, else from its counters. */
export async function outcome(
  teamId: number,
  { id, frozen_at, final }: Pick<CampaignItem, 'id' | 'frozen_at' | 'final'>,
): Promise<Pick<Tally, 'sent' | 'failed'>> {
  if (final) return final;
  return frozen_at === undefined ? { sent: 0, failed: 0 } : counts(teamId, id);
}

/** Reads the leaf of a page that a worker had. */
export async function pageByNumber(
  teamId: number,
  campaignId: number,
  page: number,
): Promise<RecipientPage | undefined> {
  const [row] = await pageResults(teamId, campaignId, [page]);
  return row && recipientPage(teamId, campaignId, row.leaf);
}
