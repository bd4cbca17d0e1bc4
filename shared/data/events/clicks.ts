import { createHash, randomUUID } from 'node:crypto';
import { burstMs } from '../../domain/events/click-burst.ts';
import { timestamp } from '../../domain/time.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';

/** A click of a recipient on a link of a campaign; `who` is the first part of its sort key. */
export interface ClickItem extends Key {
  /** The address, or after an erasure a random id that is the same for all clicks of one person. */
  who: string;
  link: string;
  /** The hash of the URL that was clicked; absent where that is the link, and after an erasure. */
  seen?: string;
  at: string;
  id: number;
  contact_id: number | null;
  /** Why it is a machine's; absent for a person's. */
  machine?: string;
  /** The contact's last human click before this one. */
  before?: string;
}

/** Clicks that one Query reads, so that a reader who is in a hurry can stop. */
const readAtOnce = 1_000;

/** The key of a link. */
export const linkHash = (url: string): string => createHash('sha256').update(url).digest('base64url').slice(0, 22);

/** More clicks of one recipient are a program's: what they cost must not grow with every further one. */
const clicksAtOnce = 500;

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

/** Stores a click, by its link and the URL `clicked`; idempotent. */
export async function note(
  teamId: number,
  campaignId: number,
  click: Omit<ClickItem, 'pk' | 'sk' | 'link' | 'seen'> & { url: string; clicked: string },
): Promise<void> {
  const { url, clicked, ...rest } = click;
  const link = await noteLink(teamId, campaignId, url);
  const Item = { ...keys.click(teamId, campaignId, click.who, click.at, click.id), ...rest, link };
  await table.putNew({ ...Item, ...(clicked !== url && { seen: linkHash(clicked) }) });
}

/** A recipient's clicks; where these are not `all`, the first ones, and those from shortly before a time on. */
export async function near(
  teamId: number,
  campaignId: number,
  who: string,
  at: string,
): Promise<{ found: ClickItem[]; all: boolean }> {
  const pk = partitions.clicks(teamId, campaignId);
  const some = (range: Parameters<typeof table.within>[1]) =>
    table.query<ClickItem>({ ...table.within(pk, range), ConsistentRead: true, Limit: clicksAtOnce });
  const { items, next } = await some({ prefix: `${who} ` });
  if (!next) return { found: items, all: true };
  const from = timestamp(Date.parse(at) - burstMs);
  const later = await some({ between: [`${who} ${from}`, `${who} ~`] });
  const last = items.at(-1)!.sk;
  return { found: [...items, ...later.items.filter(({ sk }) => sk > last)], all: false };
}

/** All clicks of one recipient, oldest first. */
export function of(teamId: number, campaignId: number, who: string): Promise<ClickItem[]> {
  const theirs = table.within(partitions.clicks(teamId, campaignId), { prefix: `${who} ` });
  return table.all<ClickItem>({ ...theirs, ConsistentRead: true });
}

/** The clicks of a campaign after a position, by recipient, with the attributes that reports count. */
export function after(
  teamId: number,
  campaignId: number,
  position = ' ',
): AsyncGenerator<Pick<ClickItem, 'sk' | 'who' | 'link' | 'machine'>> {
  return table.queryAll({
    ...table.following(partitions.clicks(teamId, campaignId), position),
    ProjectionExpression: 'sk, #who, #link, #machine',
    Limit: readAtOnce,
  });
}

/** The URLs of links, in the order of their hashes; undefined for one that is not known. */
export async function urls(
  teamId: number,
  campaignId: number,
  hashes: readonly string[],
): Promise<(string | undefined)[]> {
  const links = await table.batchGet<{ url: string }>(hashes.map((hash) => keys.link(teamId, campaignId, hash)));
  return links.map((link) => link?.url);
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

/**
 * Stores an erased contact's clicks under a random id, if they are `theirs`, and renames the links that earlier
 * versions stored as the contact saw them.
 */
export async function anonymize(
  teamId: number,
  campaignId: number,
  email: string,
  theirs: (click: ClickItem) => boolean,
  templateOf: (url: string) => Promise<string>,
): Promise<void> {
  const who = ` ${randomUUID()}`;
  const own = (await of(teamId, campaignId, email)).filter(theirs);
  const hashes = [...new Set(own.map(({ link }) => link))];
  for (const [index, url] of (await urls(teamId, campaignId, hashes)).entries()) {
    const template = url && (await templateOf(url));
    if (template !== url)
      await table.put({ Item: { ...keys.link(teamId, campaignId, hashes[index]!), url: template } });
  }
  for (const { seen: _, ...click } of own) {
    const Item = { ...click, ...keys.click(teamId, campaignId, who, click.at, click.id), who, contact_id: null };
    await table.transact([{ Delete: { Key: { pk: click.pk, sk: click.sk } } }, { Put: { Item } }]);
  }
}
