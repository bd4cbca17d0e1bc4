import { keys } from '../keys.ts';
import * as table from '../table.ts';
import * as campaigns from './campaigns.ts';

/** Reads a campaign's body; undefined when none was set. */
export function find(teamId: number, id: number): Promise<campaigns.ContentItem | undefined> {
  return table.get<campaigns.ContentItem>(keys.content(teamId, id));
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
