import { addressOf } from './addresses.ts';
import type { TemplateData } from './render.ts';
import type { EventKind } from './simulator.ts';

/** A message header in the API's shape. */
export interface Header {
  Name: string;
  Value: string;
}

/** A message of a call: what differs from the other messages. */
export interface Entry {
  to: string[];
  data: TemplateData;
  headers: Header[];
  tags: Record<string, string>;
}

/** An accepted SendEmail or SendBulkEmail: what its messages share, and the messages. */
export interface Call {
  id: number;
  uuid: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
  contentId: number;
  operation: 'SendEmail' | 'SendBulkEmail';
  /** The access key that signed the request. */
  caller: string;
  from: string;
  replyTo: string[];
  configurationSet?: string;
  entries: Entry[];
}

/** An unpublished event of a message. */
export interface PendingEvent {
  id: number;
  message: number;
  kind: EventKind;
  /** Milliseconds since the epoch. */
  at: number;
  /** Further fields of the event, such as an error, a link or a user agent. */
  detail: Record<string, unknown> | null;
}

/** An event that is not stored yet. */
export type NewEvent = Omit<PendingEvent, 'id'>;

/** An event of a call that is not stored yet; `index` is the message in the call. */
export type PlannedEvent = Omit<NewEvent, 'message'> & { index: number };

/** A sending identity. */
export interface Identity {
  name: string;
  verified: boolean;
  mailFrom: string | null;
  tags: Record<string, string>;
  /** The zone with its DKIM keys. */
  signingZone: string;
  /** Whether its bounces and complaints are mailed to the sender; SES begins with that. */
  forwards: boolean;
}

/** The message tag with a message's campaign. */
export const CAMPAIGN_TAG = 'campaign';

/** The bare addresses of a message's recipients, in lower case. */
export const recipientsOf = ({ to }: Entry): string[] => to.map(addressOf);
