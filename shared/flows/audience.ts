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
    const qualifies = (contact: contacts.ContactItem | undefined): contact is contacts.ContactItem =>
      contact?.status === 'active' && (!filters || matches(filters, contact, at));
    const members = await contacts.batch(teamId, emails, { eventual: true });
    // An eventual read may lag behind a contact written a moment ago: who does not qualify is looked at again.
    const again = await contacts.batch(
      teamId,
      emails.filter((_email, index) => !qualifies(members[index])),
    );
    const late = new Map(again.flatMap((contact) => (contact ? [[contact.email, contact] as const] : [])));
    const recipients = emails
      .map((email, index) => late.get(email) ?? members[index])
      .filter(qualifies)
      .map(({ email, id }) => ({ email, contact_id: id }));
    const reached = emails.at(-1);
    if (reached !== undefined) yield { recipients, reached };
    from = next;
  } while (from !== undefined);
}

/** How many recipients a campaign would have now; stops counting once there are `enough`. */
export async function countAudience(teamId: number, campaign: CampaignItem, enough = Infinity): Promise<number> {
  let count = 0;
  for await (const { recipients } of audience(teamId, campaign)) {
    count += recipients.length;
    if (count >= enough) break;
  }
  return count;
}
