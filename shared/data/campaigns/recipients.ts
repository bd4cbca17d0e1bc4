import { variantOf } from '../../domain/campaigns/ab-test.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** A recipient in the snapshot of an audience; both fields are empty after an erasure. */
export interface Recipient {
  email: string;
  /** 0 for an address that is not a contact. */
  contact_id: number;
}

/** A page of the snapshot: up to 50 recipients in address order, written once. */
export interface RecipientPage {
  number: number;
  sk: string;
  recipients: Recipient[];
  /** In a campaign with an A/B test: a letter per recipient (domain/campaigns/ab-test). */
  letters?: string;
}

interface RecipientPageItem extends Key {
  page: number;
  /** Addresses, one a line, and contact ids between commas: packed, since a campaign may have a million recipients. */
  emails: string;
  contact_ids: string;
  dealt?: string;
}

/** The item of a recipient page. */
export function recipientPageItem(
  teamId: number,
  campaignId: number,
  pageNumber: number,
  recipients: readonly Recipient[],
  letters?: string,
): RecipientPageItem {
  return {
    ...keys.leaf(teamId, campaignId, recipients[0]!.email),
    page: pageNumber,
    emails: recipients.map((recipient) => recipient.email).join('\n'),
    contact_ids: recipients.map((recipient) => recipient.contact_id).join(','),
    ...(letters && { dealt: letters }),
  };
}

/** The recipient page of an item. */
export function fromItem({ page, sk, dealt, emails, contact_ids }: RecipientPageItem): RecipientPage {
  const ids = contact_ids.split(',');
  return {
    number: page,
    sk,
    ...(dealt && { letters: dealt }),
    recipients: emails.split('\n').map((email, index) => ({ email, contact_id: Number(ids[index]) })),
  };
}

/** Reads one page by its sort key. */
export async function page(teamId: number, campaignId: number, sk: string): Promise<RecipientPage | undefined> {
  const item = await table.get<RecipientPageItem>(keys.leaf(teamId, campaignId, sk));
  return item && fromItem(item);
}

/** Reads pages by their sort keys, in the order of the keys. */
export async function batch(
  teamId: number,
  campaignId: number,
  sks: readonly string[],
): Promise<(RecipientPage | undefined)[]> {
  const items = await table.batchGet<RecipientPageItem>(sks.map((sk) => keys.leaf(teamId, campaignId, sk)));
  return items.map((item) => item && fromItem(item));
}

/** The page that an address is on if it is a recipient: the last page that begins at or before it. */
export async function pageAround(
  teamId: number,
  campaignId: number,
  email: string,
): Promise<RecipientPage | undefined> {
  const [found] = await pages(teamId, campaignId, { from: email, inclusive: true, backward: true, count: 1 });
  return found;
}

/** Finds the recipient with an address. */
export async function locate(
  teamId: number,
  campaignId: number,
  email: string,
): Promise<{ page: RecipientPage; index: number } | undefined> {
  const found = await pageAround(teamId, campaignId, email);
  const index = found?.recipients.findIndex((recipient) => recipient.email === email) ?? -1;
  return found && index >= 0 ? { page: found, index } : undefined;
}

/** Pages in address order, strictly after (or before) a sort key, `count` at most. */
export async function pages(
  teamId: number,
  campaignId: number,
  range: { from?: string; inclusive?: boolean; backward?: boolean; count: number },
): Promise<RecipientPage[]> {
  const { backward, count, inclusive, from = backward ? '￿' : ' ' } = range;
  const { items } = await table.query<RecipientPageItem>({
    KeyConditionExpression: `pk = :pk AND sk ${backward ? '<' : '>'}${inclusive ? '=' : ''} :from`,
    ExpressionAttributeValues: { ':pk': partitions.recipients(teamId, campaignId), ':from': from },
    ScanIndexForward: !backward,
    Limit: count,
    ConsistentRead: true,
  });
  return items.map(fromItem);
}

/** The part of a campaign's A/B test that a recipient belongs to; `resent`: it was unknown, and is sent again. */
export type Part = 'test' | 'rest' | 'resent';

/** The part of the A/B test that a recipient of a page belongs to; undefined in a campaign without a test. */
export const partOf = ({ letters }: Pick<RecipientPage, 'letters'>, index: number): 'test' | 'rest' | undefined =>
  letters === undefined ? undefined : variantOf(letters[index]) === undefined ? 'rest' : 'test';
