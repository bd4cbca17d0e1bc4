import type { CampaignItem } from '../data/campaigns.ts';
import * as contacts from '../data/contacts.ts';
import { emailsOf } from '../data/memberships.ts';
import type { Recipient } from '../data/recipients.ts';
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
  const at = new Date();
  let from = after;
  do {
    const { emails, next } = await emailsOf(teamId, 'list', listId, { after: from, limit: batchSize });
    const members = await contacts.batch(teamId, emails, { eventual: true });
    const recipients = members
      .filter((contact) => contact?.status === 'active' && (!filters || matches(filters, contact, at)))
      .map((contact) => ({ email: contact!.email, contact_id: contact!.id }));
    const reached = emails.at(-1);
    if (reached !== undefined) yield { recipients, reached };
    from = next;
  } while (from !== undefined);
}

/** How many recipients a campaign would have now. */
export async function countAudience(teamId: number, campaign: CampaignItem): Promise<number> {
  let count = 0;
  for await (const { recipients } of audience(teamId, campaign)) count += recipients.length;
  return count;
}
