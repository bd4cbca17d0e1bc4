import { createHash, randomUUID } from 'node:crypto';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** A click of a recipient on a link of a campaign; `who` is the first part of its sort key. */
export interface ClickItem extends Key {
  /** The address, or after an erasure a random id that is the same for all clicks of one person. */
  who: string;
  link: string;
  at: string;
  id: number;
  contact_id: number | null;
  /** Why it is a machine's; absent for a person's. */
  machine?: string;
  /** The contact's last human click before this one. */
  before?: string;
}

/** The key of a link. */
export const linkHash = (url: string): string => createHash('sha256').update(url).digest('base64url').slice(0, 22);

const notedLinks = new Set<string>();

async function noteLink(teamId: number, campaignId: number, url: string): Promise<string> {
  const hash = linkHash(url);
  const name = `${teamId}/${campaignId}/${hash}`;
  if (notedLinks.has(name)) return hash;
  await table.putNew({ ...keys.link(teamId, campaignId, hash), url });
  if (notedLinks.size > 10_000) notedLinks.clear();
  notedLinks.add(name);
  return hash;
}

/** Stores a click; idempotent. */
export async function note(
  teamId: number,
  campaignId: number,
  click: Omit<ClickItem, 'pk' | 'sk' | 'link'> & { url: string },
): Promise<void> {
  const { url, ...rest } = click;
  const link = await noteLink(teamId, campaignId, url);
  await table.putNew({ ...keys.click(teamId, campaignId, click.who, click.at, click.id), ...rest, link });
}

/** The clicks of one recipient, oldest first. */
export function of(teamId: number, campaignId: number, who: string): Promise<ClickItem[]> {
  const theirs = table.within(partitions.clicks(teamId, campaignId), { prefix: `${who} ` });
  return table.all<ClickItem>({ ...theirs, ConsistentRead: true });
}

/** Every click of a campaign, by recipient, with the attributes that reports count. */
export function all(teamId: number, campaignId: number): AsyncGenerator<Pick<ClickItem, 'who' | 'link' | 'machine'>> {
  return table.queryAll({
    ...table.within(partitions.clicks(teamId, campaignId)),
    ProjectionExpression: '#who, #link, #machine',
  });
}

/** The URL of each clicked link, by its hash. */
export async function urls(teamId: number, campaignId: number): Promise<Map<string, string>> {
  const links = table.within(partitions.campaign(teamId, campaignId), { prefix: 'LINK#' });
  const found = await table.all<Key & { url: string }>(links);
  return new Map(found.map(({ sk, url }) => [sk.slice('LINK#'.length), url]));
}

/** Marks a click as a machine's. */
export async function judge({ pk, sk }: ClickItem, machine: string): Promise<void> {
  await table.writeIf({
    Key: { pk, sk },
    UpdateExpression: 'SET machine = :machine',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':machine': machine },
  });
}

/** Stores an erased contact's clicks under a random id, if they are `theirs`. */
export async function anonymize(
  teamId: number,
  campaignId: number,
  email: string,
  theirs: (click: ClickItem) => boolean,
): Promise<void> {
  const who = ` ${randomUUID()}`;
  for (const click of (await of(teamId, campaignId, email)).filter(theirs)) {
    const Item = { ...click, ...keys.click(teamId, campaignId, who, click.at, click.id), who, contact_id: null };
    await table.transact([{ Delete: { Key: { pk: click.pk, sk: click.sk } } }, { Put: { Item } }]);
  }
}
