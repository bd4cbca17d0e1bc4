import * as rows from '../../data/campaigns/audience-rows.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import type { ExportPerson } from '../../domain/campaigns/export-rows.ts';

/** Somebody who may be mailed, with the merge values; `lost` where those are no longer kept. */
export type Addressee = Omit<ExportPerson, 'metadata'> & { metadata?: Record<string, unknown>; lost?: boolean };

/**
 * Those of a campaign's recipients whose own status lets them be mailed now, by address; suppressions are looked at apart from it. Of a
 * warehouse audience the export's values lie over the contact's own, and an address need not be a contact.
 */
export async function addressees(
  teamId: number,
  campaign: CampaignItem,
  emails: readonly string[],
): Promise<Map<string, Addressee>> {
  if (campaign.audience_source === 'list') {
    const live = await contacts.batch(teamId, emails);
    return new Map(live.flatMap((contact) => (contact?.status === 'active' ? [[contact.email, contact]] : [])));
  }
  const [first, last] = [emails[0], emails.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const [exported, stored] = await Promise.all([
    rows.between(teamId, campaign.id, first, last),
    contacts.batchStored(teamId, emails),
  ]);
  return new Map(
    emails.flatMap((email, index): [string, Addressee][] => {
      const contact = stored[index];
      if (contact && contact.status !== 'active') return [];
      const row = exported.get(email);
      return [[email, row ? over(contact?.deleted_at ? undefined : contact, row) : { email, lost: true }]];
    }),
  );
}

/** A row's values over the contact's; what the row leaves empty is the contact's. */
const over = (contact: contacts.ContactItem | undefined, row: ExportPerson): Addressee => ({
  email: row.email,
  first_name: row.first_name ?? contact?.first_name,
  last_name: row.last_name ?? contact?.last_name,
  metadata: { ...contact?.metadata, ...row.metadata },
});
