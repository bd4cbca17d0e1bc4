import * as clicks from '../events/clicks.ts';
import * as engagement from '../events/engagement.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';
import * as audienceRows from './audience-rows.ts';
import * as recipients from './recipients.ts';
import * as tombstones from './tombstones.ts';

/** Campaigns that an erasure looks into at once. */
const campaignsAtOnce = 16;

/** Somebody who is erased. */
interface Erased {
  email: string;
  contact_id: number;
}

/** Whether a place or mark is the erased person's, and not another contact's that has the address since. */
const isTheirs = (contactId: number | null, erased: Erased): boolean =>
  contactId === null || contactId === 0 || contactId === erased.contact_id;

/** Empties an erased person's rows in every recipient listing; the page keeps its place, its counts and what came of its messages. False when the deadline came first. */
export async function anonymize(teamId: number, erased: Erased, deadline: number): Promise<boolean> {
  const ids: number[] = [];
  for await (const { id } of tombstones.withRecipients(teamId)) ids.push(id);
  for (let at = 0; at < ids.length; at += campaignsAtOnce) {
    if (Date.now() > deadline) return false;
    await Promise.all(ids.slice(at, at + campaignsAtOnce).map((id) => forget(teamId, id, erased)));
  }
  return true;
}

async function forget(teamId: number, campaignId: number, erased: Erased): Promise<void> {
  for (;;) {
    const found = await recipients.locate(teamId, campaignId, erased.email);
    if (found && !isTheirs(found.leaf.recipients[found.index]!.contact_id, erased)) return;
    const place = found && { page: found.leaf.page, index: found.index };
    await audienceRows.erase(teamId, campaignId, erased.email);
    await engagement.anonymize(teamId, campaignId, erased.email, place, ({ contact_id }) =>
      isTheirs(contact_id, erased),
    );
    await clicks.anonymize(teamId, campaignId, erased.email, ({ contact_id }) => isTheirs(contact_id, erased));
    if (!found || (await blank(teamId, campaignId, found.leaf, found.index))) return;
  }
}

/** Empties one place of a leaf, and what the provider said of it, which may name the address; false when the leaf was not as it was read, as when a neighbour is erased at the same moment. */
async function blank(
  teamId: number,
  campaignId: number,
  { page, sk, recipients: own, dealt }: recipients.RecipientPage,
  index: number,
): Promise<boolean> {
  const left = own.map((recipient, i) => (i === index ? { email: '', contact_id: 0 } : recipient));
  // The leaf's key is its first address: when that goes, the next one takes its place, or a key before every address.
  const firstLeft = left.find((recipient) => recipient.email !== '')?.email ?? ` ${page}`;
  const item = {
    ...recipients.recipientPageItem(teamId, campaignId, page, left, dealt),
    ...keys.leaf(teamId, campaignId, own[index]!.email === sk ? firstLeft : sk),
  };
  const asRead = {
    ConditionExpression: 'emails = :emails',
    ExpressionAttributeValues: { ':emails': own.map(({ email }) => email).join('\n') },
  };
  const [row] = await recipients.pageResults(teamId, campaignId, [page]);
  const pageWrite = pageFollows(keys.page(teamId, campaignId, page), row, item.sk, index);
  if (item.sk === sk)
    return table.transactIf([
      { Put: { Item: item, ...asRead } },
      ...(row?.errors?.[index] === undefined ? [] : [pageWrite]),
    ]);
  return table.transactIf([
    { Delete: { Key: keys.leaf(teamId, campaignId, sk), ...asRead } },
    { Put: { Item: item } },
    pageWrite,
  ]);
}

/** Tells a page of its leaf's key and makes it forget what the provider said of a place; where no worker had it yet, that none has. */
function pageFollows(
  Key: Key,
  row: recipients.PageResult | undefined,
  leaf: string,
  index: number,
): table.TransactionWrite {
  if (!row) return { ConditionCheck: { Key, ConditionExpression: 'attribute_not_exists(pk)' } };
  const said = row.errors?.[index] !== undefined;
  return {
    Update: {
      Key,
      UpdateExpression: `SET leaf = :leaf${said ? ' REMOVE errors.#place' : ''}`,
      ...(said && { ExpressionAttributeNames: { '#place': String(index) } }),
      ExpressionAttributeValues: { ':leaf': leaf },
    },
  };
}
