import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import type { IncomingEvent } from '../../domain/events/delivery-event.ts';

/** Whether a provider's event belongs to an erased recipient, whose address a newer contact may have. */
export async function isErased(
  teamId: number,
  { email, campaign_id, contact_id, confirmed }: IncomingEvent,
  contact: contacts.ContactItem | undefined,
  campaign: CampaignItem | undefined,
): Promise<boolean> {
  if (confirmed === undefined || (campaign_id === null && contact_id === null)) return false;
  const frozenAt = campaign?.frozen_at;
  const known = contact ?? (await contacts.findStored(teamId, email));
  // A sequence's message names its contact.
  if (campaign_id === null) return known?.id !== contact_id;
  if (known && (frozenAt === undefined || known.created_at <= frozenAt)) return false;
  return (await recipients.locate(teamId, campaign_id, email)) === undefined;
}
