import { now } from '../aws/clock.ts';
import type { CampaignItem } from '../data/campaigns.ts';
import * as contacts from '../data/contacts.ts';
import { partitions } from '../data/keys.ts';
import type { Recipient } from '../data/recipients.ts';
import * as table from '../data/table.ts';
import { matches } from '../domain/segments.ts';

const batchSize = 500;

/** The active contacts that a campaign's list and filters resolve to, in address order, in batches, strictly after an address. */
export async function* audience(
  teamId: number,
  campaign: Pick<CampaignItem, 'contact_list_id' | 'audience_filters'>,
  after?: string,
): AsyncGenerator<{ recipients: Recipient[]; reached: string }> {
  const { contact_list_id: listId, audience_filters: filters } = campaign;
  if (listId === null) return;
  const at = now();
  let next: Record<string, unknown> | undefined;
  do {
    const page: { items: { sk: string }[]; next: Record<string, unknown> | undefined } = await table.query<{
      sk: string;
    }>({
      KeyConditionExpression: after === undefined ? 'pk = :pk' : 'pk = :pk AND sk > :after',
      ExpressionAttributeValues: {
        ':pk': partitions.list(teamId, listId),
        ...(after !== undefined && { ':after': after }),
      },
      ConsistentRead: true,
      Limit: batchSize,
      ExclusiveStartKey: next,
    });
    const members = await contacts.batch(
      teamId,
      page.items.map((item) => item.sk),
      { eventual: true },
    );
    const recipients = members
      .filter((contact) => contact?.status === 'active' && (!filters || matches(filters, contact, at)))
      .map((contact) => ({ email: contact!.email, contact_id: contact!.id }));
    const last = page.items.at(-1);
    if (last) yield { recipients, reached: last.sk };
    next = page.next;
  } while (next);
}

/** How many recipients a campaign would have now. */
export async function countAudience(teamId: number, campaign: CampaignItem): Promise<number> {
  let count = 0;
  for await (const { recipients } of audience(teamId, campaign)) count += recipients.length;
  return count;
}
