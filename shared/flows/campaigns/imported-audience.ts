import * as imports from '../../data/campaigns/audience-imports.ts';
import * as rows from '../../data/campaigns/audience-rows.ts';
import type { Recipient } from '../../data/campaigns/recipients.ts';
import * as contacts from '../../data/contacts/contacts.ts';

/**
 * The recipients of a warehouse audience that is imported, in address order, in batches, strictly after an address: addresses that are not
 * contacts, and contacts that are active. Who has left or bounced stays out, though the contact was deleted since.
 */
export async function* importedAudience(
  teamId: number,
  campaignId: number,
  after?: string,
): AsyncGenerator<{ recipients: Recipient[]; reached: string }> {
  const found = await imports.find(teamId, campaignId);
  if (!found) return;
  for await (const emails of rows.addresses(teamId, campaignId, { first_row: found.first_row, after })) {
    const stored = await contacts.batchStored(teamId, emails);
    const recipients = emails.flatMap((email, index): Recipient[] => {
      const contact = stored[index];
      if (contact && contact.status !== 'active') return [];
      return [{ email, contact_id: contact && !contact.deleted_at ? contact.id : 0 }];
    });
    yield { recipients, reached: emails.at(-1)! };
  }
}
