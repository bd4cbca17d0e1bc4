import { addressOf } from './addresses.ts';
import type { TemplateData } from './render.ts';
import type { EventKind } from './simulator.ts';

/** A message header in the API's shape. */
export interface Header {
  Name: string;
  Value: string;
}

/** One message of a call: what it does not share with the others. */
export interface Entry {
  to: string[];
  cc: string[];
  bcc: string[];
  data: TemplateData;
  headers: Header[];
  tags: Record<string, string>;
}

/** One accepted SendEmail or SendBulkEmail: what its messages share, and the messages. */
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

/** An event of a message that waits to be published. */
export interface PendingEvent {
  id: number;
  message: number;
  kind: EventKind;
  /** Milliseconds since the epoch. */
  at: number;
  /** What the event says beyond its kind: an error, a link, a user agent. */
  detail: Record<string, unknown> | null;
}

/** An event to be recorded, of a message by its id. */
export type NewEvent = Omit<PendingEvent, 'id'>;

/** An event of a call that is about to be accepted, of a message by its place. */
export type PlannedEvent = Omit<NewEvent, 'message'> & { index: number };

/** A sending identity. */
export interface Identity {
  name: string;
  verified: boolean;
  mailFrom: string | null;
  createdAt: number;
}

/** The message tag by which messages() finds a campaign's mail. */
export const CAMPAIGN_TAG = 'campaign';

/** Every bare address a message goes to, in lower case. */
export function recipientsOf(entry: Entry): string[] {
  const { to, cc, bcc } = entry;
  return (cc.length + bcc.length === 0 ? to : [...to, ...cc, ...bcc]).map(addressOf);
}
