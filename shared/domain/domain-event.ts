import type { ContactStatus } from './contacts/contact.ts';

/** What changed in a contact, for whoever reacts to it: it names the record, which the reader looks up. */
export interface ContactEvent {
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
export interface WaitlistEvent {
  /** The same however often the notice comes. */
  id: string;
  type: 'waitlist.signup' | 'waitlist.invited';
  waitlist_id: number;
  signup_id: number;
}

/** Statuses of a campaign that others are told of. */
export type PublishedStatus = 'scheduled' | 'sending' | 'sent' | 'partial' | 'failed' | 'held' | 'cancelled';

/** A campaign has got a status. */
export interface CampaignEvent {
  /** The same however often the notice comes. */
  id: string;
  type: `campaign.${PublishedStatus}`;
  campaign_id: number;
}

/** Messages of a campaign were queued, to all its recipients from a leaf on, or some on a page were sent: one notice for many events. */
export interface MessagesEvent {
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
export interface SequenceEvent {
  /** The same however often the notice comes. */
  id: string;
  type: 'sequence.enrolled' | 'sequence.completed';
  sequence_id: number;
  contact_id: number;
  email: string;
}

/** Something that happened to a team's records and that others react to. */
export type DomainEvent = ContactEvent | WaitlistEvent | CampaignEvent | MessagesEvent | SequenceEvent;
