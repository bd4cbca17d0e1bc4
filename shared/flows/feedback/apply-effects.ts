import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import type { ContactItem } from '../../data/contacts/contacts.ts';
import * as engagement from '../../data/events/engagement.ts';
import type { EventItem } from '../../data/events/rows.ts';
import type { ListedEvent } from '../../data/feedback/listed-event.ts';
import { variantOf } from '../../domain/campaigns/ab-test.ts';
import type { IncomingEvent } from '../../domain/events/delivery-event.ts';
import { applyClick } from './apply-click.ts';
import { applyToContact } from './apply-to-contact.ts';
import type { CampaignCounts, Delta } from './campaign-counts.ts';

/** An event as its row has it: the first one that came under its id. */
export type Stored = ListedEvent & Pick<EventItem, 'applying' | 'untold' | 'machine_reason'>;

/** The contact and the campaign that an event belongs to, where known. */
export interface Subject {
  contact: ContactItem | undefined;
  counts: CampaignCounts | undefined;
}

/** Applies a stored event to its recipient and its contact; returns what it adds to the campaign's counters. */
export async function applyEffects(
  teamId: number,
  event: IncomingEvent,
  id: number,
  stored: Stored,
  { contact, counts }: Subject,
): Promise<Delta | 'doubtful'> {
  const { machine, delta } =
    event.event === 'clicked' && counts
      ? await noteClick(teamId, event, id, stored, { contact, counts })
      : { machine: stored.machine_reason, delta: undefined };
  const noted = delta ?? (machine === undefined ? await noteEngagement(teamId, event, contact, counts) : {});
  // A delivery acts on its contact only where it ends a row of soft bounces.
  if (event.event !== 'delivered' || stored.applying)
    await applyToContact(teamId, event, id, contact, machine === undefined);
  return noted;
}

async function noteClick(
  teamId: number,
  event: IncomingEvent,
  id: number,
  { machine_reason, metadata }: Stored,
  { contact, counts }: { contact: ContactItem | undefined; counts: CampaignCounts },
): Promise<{ machine: string | undefined; delta: Delta | 'doubtful' }> {
  const variant = await variantFor(teamId, event, counts.campaign);
  const click = { event: { ...event, metadata }, id, contact, machine: machine_reason, variant };
  const { machine, change } = await applyClick(teamId, counts.id, click);
  if (change === 'doubtful') return { machine, delta: change };
  return { machine, delta: { clicked: change, ...(variant && { [`clicked_${variant}`]: change }) } };
}

async function noteEngagement(
  teamId: number,
  event: IncomingEvent,
  contact: ContactItem | undefined,
  counts: CampaignCounts | undefined,
): Promise<Delta | 'doubtful'> {
  if (event.campaign_id === null || !counts || event.event === 'clicked') return {};
  if (event.event === 'delivered') return { delivered: 1 };
  const kind = engagement.byEvent[event.event as keyof typeof engagement.byEvent];
  if (!kind) return {};
  const [attribute, counter] = kind;
  const variant = counter === 'opened' ? await variantFor(teamId, event, counts.campaign) : undefined;
  const recipient = { email: event.email, contact_id: event.contact_id ?? contact?.id ?? null, variant };
  const noted = await engagement.note(teamId, event.campaign_id, recipient, attribute, event.occurred_at);
  if (noted === 'doubtful') return noted;
  return noted === 'first' ? { [counter]: 1, ...(variant && { [`${counter}_${variant}`]: 1 }) } : {};
}

/** The variant of an event's message; for a client's event, looked up by the recipient. */
export async function variantFor(
  teamId: number,
  { email, confirmed, variant }: IncomingEvent,
  campaign: CampaignItem | undefined,
): Promise<number | undefined> {
  if (variant !== undefined || confirmed !== undefined || !campaign?.test) return variant;
  const found = await recipients.locate(teamId, campaign.id, email);
  return found && (variantOf(found.page.letters?.[found.index]) ?? campaign.winner_variant_id ?? undefined);
}
