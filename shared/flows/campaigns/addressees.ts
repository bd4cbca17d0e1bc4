import * as imports from '../../data/campaigns/audience-imports.ts';
import * as rows from '../../data/campaigns/audience-rows.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import { lastId } from '../../data/counters.ts';
import type { ExportPerson } from '../../domain/campaigns/export-rows.ts';

/** A recipient that may be mailed, with its merge values; `lost` when those are no longer kept. */
export type Addressee = Omit<ExportPerson, 'metadata'> & { metadata?: Record<string, unknown>; lost?: boolean };

/**
 * The recipients whose contact may be mailed, by address; suppressions are checked apart. A warehouse audience's values
 * replace the contact's, and its addresses need not be contacts.
 */
export async function addressees(
  teamId: number,
  campaign: CampaignItem,
  emails: readonly string[],
): Promise<Map<string, Addressee>> {
  if (campaign.audience_source === 'list') {
    const dense = campaign.total_recipients * 2 > (await lastId(teamId, 'contact'));
    const live = await (dense ? contacts.batchNear : contacts.batch)(teamId, emails);
    return new Map(live.flatMap((contact) => (contact?.status === 'active' ? [[contact.email, contact]] : [])));
  }
  const [exported, stored] = await Promise.all([
    exportedFor(teamId, campaign.id, emails),
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

async function exportedFor(teamId: number, id: number, emails: readonly string[]) {
  const imported = emails.length > 0 && (await imports.find(teamId, id));
  return imported ? rows.between(teamId, id, imported, emails[0]!, emails.at(-1)!) : new Map<string, ExportPerson>();
}

/** A row's values; the contact's where the row leaves them empty. */
const over = (contact: contacts.ContactItem | undefined, row: ExportPerson): Addressee => ({
  email: row.email,
  first_name: row.first_name ?? contact?.first_name,
  last_name: row.last_name ?? contact?.last_name,
  metadata: { ...contact?.metadata, ...row.metadata },
});
