import { type LinkTemplates, linkTemplates } from '../../domain/messages/link-templates.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';
import * as campaigns from './campaigns.ts';

/** Reads a campaign's body; undefined when none was set. */
export function find(teamId: number, id: number): Promise<campaigns.ContentItem | undefined> {
  return table.get<campaigns.ContentItem>(keys.content(teamId, id));
}

/** A body changes before a launch, and between a failed one and the next. */
const linksMs = 60_000;
const maxKept = 64;
const kept = new Map<string, { links: Promise<LinkTemplates>; until: number }>();

/** The links of a campaign's body, read once a minute and process. */
export function links(teamId: number, id: number): Promise<LinkTemplates> {
  const name = `${teamId}/${id}`;
  const known = kept.get(name);
  if (known && known.until > Date.now()) return known.links;
  const links = find(teamId, id).then((body) => linkTemplates(body?.html_content, body?.plain_content));
  links.catch(() => kept.delete(name));
  kept.delete(name);
  kept.set(name, { links, until: Date.now() + linksMs });
  if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
  return links;
}

/** Writes a campaign's body and changes its row together; undefined when the row changed since it was read. */
export async function set(
  teamId: number,
  read: campaigns.CampaignItem,
  attributes: Partial<campaigns.CampaignItem>,
  body: campaigns.ContentItem,
): Promise<campaigns.CampaignItem | undefined> {
  const written = await table.transactIf([
    { Put: { Item: { ...keys.content(teamId, read.id), ...body } } },
    { Update: campaigns.editOf(teamId, read, attributes) },
  ]);
  return written ? campaigns.find(teamId, read.id) : undefined;
}

/** Like `set` with the copy of a template, which never replaces a body that is not an unchanged copy. */
export async function copyTemplate(
  teamId: number,
  read: campaigns.CampaignItem,
  attributes: Partial<campaigns.CampaignItem>,
  copy: campaigns.ContentItem,
): Promise<campaigns.CampaignItem | undefined> {
  const blank = 'html_content IN (:null, :empty) AND plain_content IN (:null, :empty)';
  const [body, row] = [0, 1];
  const writes: table.TransactionWrite[] = [];
  writes[body] = {
    Put: {
      Item: { ...keys.content(teamId, read.id), ...copy },
      ConditionExpression: `attribute_not_exists(pk) OR attribute_exists(copied_from) OR (${blank})`,
      ExpressionAttributeValues: { ':null': null, ':empty': '' },
    },
  };
  writes[row] = { Update: campaigns.editOf(teamId, read, attributes) };
  const refused = await table.refusals(writes);
  if (refused.length === 0) return campaigns.find(teamId, read.id);
  return refused.includes(row) ? undefined : campaigns.edit(teamId, read, attributes);
}
