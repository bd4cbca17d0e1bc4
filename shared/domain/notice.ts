import type { Contact, ContactStatus } from './contact.ts';

/** What changed in a contact, for whoever reacts to it: it names the record, which the reader looks up. */
export interface ContactNotice {
  /** The same however often the notice comes. */
  id: string;
  type: 'contact.created' | 'contact.updated' | 'contact.unsubscribed' | 'contact.deleted';
  contact_id: number;
  email: string;
  /** The status that this change gave a contact that had another. */
  status?: ContactStatus;
  /** A pending contact has become active. */
  subscribed?: true;
  /** The tags that this change put on. */
  tag_ids?: number[];
  /** The lists that this change joined. */
  list_ids?: number[];
  /** The contact is to be asked to confirm its subscription. */
  confirm?: true;
}

/** Somebody signed up for a waitlist, or was invited from it. */
export interface WaitlistNotice {
  /** The same however often the notice comes. */
  id: string;
  type: 'waitlist.signup' | 'waitlist.invited';
  waitlist_id: number;
  signup_id: number;
}

/** Statuses of a campaign that others are told of. */
export type ToldStatus = 'scheduled' | 'sending' | 'sent' | 'partial' | 'failed' | 'held' | 'cancelled';

/** A campaign has got a status. */
export interface CampaignNotice {
  /** The same however often the notice comes. */
  id: string;
  type: `campaign.${ToldStatus}`;
  campaign_id: number;
}

/** Messages of a campaign were queued, to all its recipients from a leaf on, or some on a page were sent: one notice for many events. */
export interface MessagesNotice {
  /** The same however often the notice comes. */
  id: string;
  type: 'email.queued' | 'email.sent';
  campaign_id: number;
  /** When the messages were. */
  sent_at: string;
  /** The leaf that is gone through, or the last one that was. */
  leaf?: string;
  /** Places on the leaf. */
  places?: number[];
}

/** Somebody was enrolled into a sequence, or has had all its steps. */
export interface SequenceNotice {
  /** The same however often the notice comes. */
  id: string;
  type: 'sequence.enrolled' | 'sequence.completed';
  sequence_id: number;
  contact_id: number;
  email: string;
}

/** Something that happened to a team's records and that others react to. */
export type Notice = ContactNotice | WaitlistNotice | CampaignNotice | MessagesNotice | SequenceNotice;

/** The notice of a campaign's new status. */
export function campaignNotice(campaignId: number, status: ToldStatus, at: string): CampaignNotice {
  return { id: `${campaignId}.${at}`, type: `campaign.${status}`, campaign_id: campaignId };
}

/** The notice of a contact's change; undefined when nobody could see a difference. */
export function contactNotice(before: Contact | undefined, after: Contact | undefined): ContactNotice | undefined {
  const type = typeOf(before, after);
  const contact = after ?? before;
  if (!type || !contact) return undefined;
  const tag_ids = added(before?.tag_ids, after?.tag_ids);
  const list_ids = added(before?.list_ids, after?.list_ids);
  const asked = after?.confirmation_requested_at;
  return {
    id: `${contact.id}.${(before?.version ?? 0) + 1}`,
    type,
    contact_id: contact.id,
    email: contact.email,
    ...(before && after && after.status !== before.status && { status: after.status }),
    ...(before?.status === 'pending' && after?.status === 'active' && { subscribed: true }),
    ...(tag_ids.length > 0 && { tag_ids }),
    ...(list_ids.length > 0 && { list_ids }),
    ...(asked && asked !== before?.confirmation_requested_at && { confirm: true }),
  };
}

function typeOf(before: Contact | undefined, after: Contact | undefined): ContactNotice['type'] | undefined {
  if (!after || after.deleted_at) return before && !before.deleted_at ? 'contact.deleted' : undefined;
  if (!before) return 'contact.created';
  if (after.status === 'unsubscribed' && before.status !== 'unsubscribed') return 'contact.unsubscribed';
  return before.deleted_at || after.updated_at !== before.updated_at ? 'contact.updated' : undefined;
}

const added = (before: readonly number[] = [], after: readonly number[] = []): number[] =>
  after.filter((id) => !before.includes(id));
