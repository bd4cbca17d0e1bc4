import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ContactStatus } from './contacts/contact.ts';

interface Identified {
  /** The same however often the event is delivered. */
  id: string;
}

/** In place of the address, where an event is kept for long: no address, and a key under which nothing is found. */
export const noAddress = ' ';

/** A contact changed. The event names the record, which a subscriber looks up. */
export interface ContactEvent extends Identified {
  type: 'contact.created' | 'contact.updated' | 'contact.unsubscribed' | 'contact.deleted';
  contact_id: number;
  email: string;
  /** The status that this change gave a contact that had another. */
  status?: ContactStatus;
  /** A pending contact has become active. */
  subscribed?: true;
  /** The tags that this change added. */
  tag_ids?: number[];
  /** The lists that this change joined. */
  list_ids?: number[];
  /** The contact needs a confirmation message. */
  confirm?: true;
}

/** A waitlist has a new signup, or a signup was invited. */
export interface WaitlistEvent extends Identified {
  type: 'waitlist.signup' | 'waitlist.invited';
  waitlist_id: number;
  signup_id: number;
  /** The signup's place and referral link are to be mailed to it. */
  mail?: true;
}

/** The statuses of a campaign that are published. */
export type PublishedStatus = 'scheduled' | 'sending' | 'sent' | 'partial' | 'failed' | 'held' | 'cancelled';

/** A campaign has a new status. */
export interface CampaignEvent extends Identified {
  type: `campaign.${PublishedStatus}`;
  campaign_id: number;
}

/** Messages of a campaign were queued for all recipients after a page, or sent to some of one page. */
export interface MessagesEvent extends Identified {
  type: 'email.queued' | 'email.sent';
  campaign_id: number;
  /** When the messages were queued or sent. */
  sent_at: string;
  /** Sort key of the page of recipients that was sent, or of the last page that was published as queued. */
  leaf?: string;
  /** Number of the page that was sent: an erasure may change its sort key. */
  page?: number;
  /** Indexes of the recipients on the page. */
  places?: number[];
}

/** A contact was enrolled in a sequence, or has received all its steps. */
export interface SequenceEvent extends Identified {
  type: 'sequence.enrolled' | 'sequence.completed';
  sequence_id: number;
  contact_id: number;
  email: string;
}

/** An API key expires soon. */
export interface KeyEvent extends Identified {
  type: 'api_key.expiring';
  key_id: number;
}

/** A change of a team's records that other parts of the system react to. */
export type DomainEvent = ContactEvent | WaitlistEvent | CampaignEvent | MessagesEvent | SequenceEvent | KeyEvent;

/** Domain events as they are stored: those of an import are compressed, to less than a third of their write units. */
export type StoredEvents = readonly DomainEvent[] | string;

/** Fewer events than this take one write unit as they are. */
const minCompressed = 8;

/** Domain events in the form that costs least to store. */
export const storedEvents = (events: DomainEvent[]): StoredEvents =>
  events.length < minCompressed ? events : deflateRawSync(JSON.stringify(events)).toString('base64');

/** The domain events that were stored. */
export const eventsOf = (stored: StoredEvents): readonly DomainEvent[] =>
  typeof stored === 'string' ? JSON.parse(inflateRawSync(Buffer.from(stored, 'base64')).toString()) : stored;
