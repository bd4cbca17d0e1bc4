import { templateOf } from '../../domain/messages/link-templates.ts';
import * as clicks from '../events/clicks.ts';
import * as engagement from '../events/engagement.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';
import * as audienceRows from './audience-rows.ts';
import * as bodies from './bodies.ts';
import * as pageResults from './page-results.ts';
import * as recipients from './recipients.ts';
import * as tombstones from './tombstones.ts';

/** Campaigns that an erasure reads at once. */
const campaignsAtOnce = 16;

/** An erased contact. */
interface Erased {
  email: string;
  contact_id: number;
}

/** Whether a row belongs to the erased contact, and not to another contact that has the address since. */
const isTheirs = (contactId: number | null, erased: Erased): boolean =>
  contactId === null || contactId === 0 || contactId === erased.contact_id;

/**
 * Empties an erased contact's rows in every campaign after a position; the position to continue from at the deadline,
 * undefined when all is done.
 */
export async function anonymize(
  teamId: number,
  erased: Erased,
  after: string | undefined,
  deadline: number,
): Promise<string | undefined> {
  let some: { id: number; position: string }[] = [];
  const anonymizeSome = () => Promise.all(some.map(({ id }) => anonymizeIn(teamId, id, erased)));
  for await (const campaign of tombstones.idsAfter(teamId, after)) {
    some.push(campaign);
    if (some.length < campaignsAtOnce) continue;
    await anonymizeSome();
    some = [];
    if (Date.now() > deadline) return campaign.position;
  }
  await anonymizeSome();
  return undefined;
}

async function anonymizeIn(teamId: number, campaignId: number, erased: Erased): Promise<void> {
  for (;;) {
    const found = await recipients.locate(teamId, campaignId, erased.email);
    if (found && !isTheirs(found.page.recipients[found.index]!.contact_id, erased)) return;
    const place = found && { page: found.page.number, index: found.index };
    await audienceRows.erase(teamId, campaignId, erased.email);
    await engagement.anonymize(teamId, campaignId, erased.email, place, ({ contact_id }) =>
      isTheirs(contact_id, erased),
    );
    await clicks.anonymize(
      teamId,
      campaignId,
      erased.email,
      ({ contact_id }) => isTheirs(contact_id, erased),
      async (url) => templateOf(url, await bodies.links(teamId, campaignId)),
    );
    if (!found || (await blank(teamId, campaignId, found.page, found.index))) return;
  }
}

/** Empties one recipient of a page and its error; false when the page changed since it was read. */
async function blank(
  teamId: number,
  campaignId: number,
  page: recipients.RecipientPage,
  index: number,
): Promise<boolean> {
  const { number, sk, recipients: own, letters } = page;
  const left = own.map((recipient, i) => (i === index ? { email: '', contact_id: 0 } : recipient));
  // The page's key is its first address. When that is erased, the next one becomes the key, or one before every
  // address.
  const firstLeft = left.find((recipient) => recipient.email !== '')?.email ?? ` ${number}`;
  const item = {
    ...recipients.recipientPageItem(teamId, campaignId, number, left, letters),
    ...keys.leaf(teamId, campaignId, own[index]!.email === sk ? firstLeft : sk),
  };
  const asRead = {
    ConditionExpression: 'emails = :emails',
    ExpressionAttributeValues: { ':emails': own.map(({ email }) => email).join('\n') },
  };
  const result = await pageResults.find(teamId, campaignId, number);
  if (item.sk === sk)
    return table.transactIf([
      { Put: { Item: item, ...asRead } },
      ...(result?.errors?.[index] === undefined ? [] : [resultFollows(result, item.sk, index)]),
    ]);
  // A worker may have read the page, and claim it later: the result tells it the new key.
  const unclaimed = pageResults.unclaimed(teamId, campaignId, page, item.sk);
  return table.transactIf([
    { Delete: { Key: keys.leaf(teamId, campaignId, sk), ...asRead } },
    { Put: { Item: item } },
    result
      ? resultFollows(result, item.sk, index)
      : { Put: { Item: unclaimed, ConditionExpression: 'attribute_not_exists(pk)' } },
  ]);
}

/** Updates the result's page key and removes the error. */
function resultFollows(
  { pk, sk, errors }: pageResults.PageResult,
  pageKey: string,
  index: number,
): table.TransactionWrite {
  const hasError = errors?.[index] !== undefined;
  return {
    Update: {
      Key: { pk, sk },
      UpdateExpression: `SET leaf = :leaf${hasError ? ' REMOVE errors.#place' : ''}`,
      ...(hasError && { ExpressionAttributeNames: { '#place': String(index) } }),
      ExpressionAttributeValues: { ':leaf': pageKey },
    },
  };
}
