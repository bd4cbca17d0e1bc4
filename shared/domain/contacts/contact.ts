import { NotApplicable, ValidationError } from '../errors.ts';
import { type Fields, type Stored, type Written, writtenFields } from '../record.ts';
import { metadataFault } from './metadata.ts';
import type { SuppressionReason } from './suppression.ts';

/** Every status of a contact; only `active` is ever mailed by a campaign. */
export const contactStatuses = ['active', 'pending', 'unsubscribed', 'bounced'] as const;

/** The status of a contact. */
export type ContactStatus = (typeof contactStatuses)[number];

/** The fields of a contact that the API shows or takes: each is declared here and nowhere else. */
export const contactFields = {
  id: { kind: 'id' },
  email: { kind: 'address' },
  first_name: { kind: 'text', optional: true, written: 'by upsert and patch' },
  last_name: { kind: 'text', optional: true, written: 'by upsert and patch' },
  status: { oneOf: contactStatuses },
  metadata: { kind: 'data' },
  subscribed_at: { kind: 'time', optional: true },
  unsubscribed_at: { kind: 'time', optional: true },
  confirmed_at: { kind: 'time', optional: true },
  consent_source: { kind: 'text', optional: true, written: 'by upsert' },
  consent_ip: { kind: 'text', optional: true, written: 'by upsert', hidden: true },
  soft_bounce_count: { kind: 'count' },
  created_at: { kind: 'time', optional: true },
  updated_at: { kind: 'time', optional: true },
} as const satisfies Fields;

/** A contact of a team's audience. */
export interface Contact extends Stored<typeof contactFields> {
  /** When a double opt-in list last asked for a confirmation message. */
  confirmation_requested_at?: string;
  /** When a confirmation message was last sent. */
  confirmation_sent_at?: string;
  /** Exactly the contact's tagging rows, ascending. */
  tag_ids: number[];
  /** Exactly the contact's membership rows, ascending. */
  list_ids: number[];
  /** The tags of a deleted contact, which a restore brings back. */
  left_tag_ids?: number[];
  /** The lists of a deleted contact, which a restore brings back. */
  left_list_ids?: number[];
  last_opened_at?: string;
  last_clicked_at?: string;
  created_at: string;
  updated_at: string;
  /** The operation that created the contact: when it runs again, it says `created` again. */
  created_by: string;
  /** Grows with every change of the contact itself, not with engagement. */
  version: number;
  /** Present while the contact is soft-deleted. */
  deleted_at?: string;
}

/** What a request may write of a contact's own fields; `null` clears. */
type ContactInput = { [Name in Written<typeof contactFields>]?: string | null } & {
  metadata?: Record<string, unknown>;
};

/** An upsert: given fields overwrite, absent ones stay, metadata merges, tags and lists add. */
export interface ContactUpsert extends ContactInput {
  email: string;
  status_if_new?: 'active' | 'pending';
  tag_ids?: readonly number[];
  list_ids?: readonly number[];
}

/** A patch: metadata merges, tags and lists replace. */
export interface ContactPatch extends ContactInput {
  status?: 'active' | 'pending' | 'unsubscribed';
  tag_ids?: readonly number[];
  list_ids?: readonly number[];
}

/** What a new contact needs beyond the upsert. */
export interface NewContact {
  id: number;
  created_by: string;
  /** The reason of the team's suppression of the address, if there is one. */
  suppressedFor?: SuppressionReason;
}

/** The ids of the double opt-in lists among those that a write names. */
export type DoubleOptIn = ReadonlySet<number>;

const membershipLimit = 1_000;

const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b);
const union = (...sets: (readonly number[] | undefined)[]): number[] => ascending(sets.flatMap((ids) => ids ?? []));

/** The status of a contact that is suppressed for a reason; undefined when the reason changes nothing. */
export function statusWhenSuppressed(reason: SuppressionReason): 'unsubscribed' | 'bounced' | undefined {
  if (reason === 'unsubscribe' || reason === 'spam_report') return 'unsubscribed';
  return reason === 'manual' ? undefined : 'bounced';
}

/** Applies an upsert to a stored contact (a soft-deleted one is restored); the same object when nothing changes. */
export function applyUpsert(
  stored: Contact | undefined,
  input: ContactUpsert,
  asNew: NewContact | undefined,
  doubleOptIn: DoubleOptIn,
  now: string,
): Contact {
  const confirms = input.list_ids?.some((id) => doubleOptIn.has(id)) ?? false;
  const before = stored ?? newContact(input, asNew!, confirms, now);
  const restored = {
    ...withFields(before, input),
    tag_ids: union(before.tag_ids, before.left_tag_ids, input.tag_ids),
    list_ids: union(before.list_ids, before.left_list_ids, input.list_ids),
    left_tag_ids: undefined,
    left_list_ids: undefined,
    deleted_at: undefined,
  };
  const after = askToConfirm(before, restored, input.list_ids, doubleOptIn, now);
  return stored ? settled(stored, after, now) : after;
}

function newContact(input: ContactUpsert, asNew: NewContact, confirms: boolean, now: string): Contact {
  const wanted = confirms ? 'pending' : (input.status_if_new ?? 'active');
  const suppressed = asNew.suppressedFor && statusWhenSuppressed(asNew.suppressedFor);
  return {
    id: asNew.id,
    email: input.email,
    status: suppressed ?? wanted,
    metadata: {},
    // liftSuppression reads from this whether the contact had subscribed.
    subscribed_at: wanted === 'active' ? now : undefined,
    unsubscribed_at: suppressed === 'unsubscribed' ? now : undefined,
    soft_bounce_count: 0,
    tag_ids: [],
    list_ids: [],
    created_at: now,
    updated_at: now,
    created_by: asNew.created_by,
    version: 1,
  };
}

/** A pending contact gets at most one confirmation message in this time after the last was asked for and sent. */
const confirmationPauseMs = 24 * 3_600_000;

/**
 * A pending contact is asked to confirm when it joins a double opt-in list, or is named for one again before a message
 * could be sent (the team had no verified domain); never twice within a day.
 */
function askToConfirm(
  before: Contact,
  after: Contact,
  named: readonly number[] | undefined,
  doubleOptIn: DoubleOptIn,
  now: string,
): Contact {
  if (after.status !== 'pending' || !named) return after;
  const { confirmation_requested_at: asked, confirmation_sent_at: sent } = after;
  const last = Math.max(...[asked, sent].map((at) => (at === undefined ? 0 : Date.parse(at))));
  if (Date.parse(now) < last + confirmationPauseMs) return after;
  const joins = (id: number) => doubleOptIn.has(id) && (sent === undefined || !before.list_ids.includes(id));
  return named.some(joins) ? { ...after, confirmation_requested_at: now } : after;
}

/** Confirms a pending contact's subscription; a contact that unsubscribed or bounced stays as it is. */
export function confirmContact(contact: Contact, now: string): Contact {
  if (contact.status !== 'pending') return contact;
  return { ...contact, status: 'active', confirmed_at: now, subscribed_at: now, updated_at: now };
}

/** Applies a patch to a live contact; throws 422 `not_applicable` on a status change that is not allowed. */
export function applyPatch(contact: Contact, patch: ContactPatch, doubleOptIn: DoubleOptIn, now: string): Contact {
  const named = withFields(patch.status ? moved(contact, patch.status, now) : contact, patch);
  const tagged = patch.tag_ids ? { ...named, tag_ids: ascending(patch.tag_ids), left_tag_ids: undefined } : named;
  const listed = patch.list_ids ? { ...tagged, list_ids: ascending(patch.list_ids), left_list_ids: undefined } : tagged;
  return settled(contact, askToConfirm(contact, listed, patch.list_ids, doubleOptIn, now), now);
}

function moved(contact: Contact, to: 'active' | 'pending' | 'unsubscribed', now: string): Contact {
  const { status } = contact;
  if (status === to) return contact;
  if (to === 'unsubscribed') return { ...contact, status: to, unsubscribed_at: now };
  if (status === 'bounced') throw new NotApplicable('A bounced contact cannot be made active or pending by an update.');
  if (to === 'active') return { ...contact, status: to, subscribed_at: now, unsubscribed_at: undefined };
  if (status === 'unsubscribed') throw new NotApplicable('An unsubscribed contact cannot be made pending.');
  return { ...contact, status: to, subscribed_at: undefined };
}

/** Applies a suppression since `at`: only an active or pending contact changes its status. */
export function suppressContact(contact: Contact, status: 'unsubscribed' | 'bounced', now: string, at = now): Contact {
  if (contact.status !== 'active' && contact.status !== 'pending') return contact;
  const moved = status === 'unsubscribed' ? { ...contact, status, unsubscribed_at: at } : { ...contact, status };
  return { ...moved, updated_at: now };
}

/** Applies the lifting of a suppression: the contact is active if it had subscribed, else pending. */
export function liftSuppression(contact: Contact, now: string): Contact {
  if (contact.status !== 'unsubscribed' && contact.status !== 'bounced') return contact;
  const status = contact.subscribed_at ? 'active' : 'pending';
  return { ...contact, status, unsubscribed_at: undefined, soft_bounce_count: 0, updated_at: now };
}

/** Adds tags; the same object when it has them all. */
export const addTags = (contact: Contact, ids: readonly number[], now: string): Contact =>
  settled(contact, { ...contact, tag_ids: union(contact.tag_ids, ids) }, now);

/** Puts a contact on a list; the same object when it is on it. */
export function joinList(contact: Contact, id: number, doubleOptIn: DoubleOptIn, now: string): Contact {
  const joined = { ...contact, list_ids: union(contact.list_ids, [id]) };
  return settled(contact, askToConfirm(contact, joined, [id], doubleOptIn, now), now);
}

/** Takes one tag or list off; the same object when the contact lacks it. */
export const leave = (contact: Contact, what: 'tag_ids' | 'list_ids', id: number, now: string): Contact =>
  settled(contact, forget(contact, what, id), now);

/** Takes a deleted tag or list off; `updated_at` stays, since the API shows no difference. */
export const forget = (contact: Contact, what: 'tag_ids' | 'list_ids', id: number): Contact => ({
  ...contact,
  [what]: contact[what].filter((known) => known !== id),
});

/** Soft-deletes a contact: its tags and lists are kept for a restore. */
export const softDelete = (contact: Contact, now: string): Contact => ({
  ...contact,
  tag_ids: [],
  list_ids: [],
  left_tag_ids: union(contact.tag_ids, contact.left_tag_ids),
  left_list_ids: union(contact.list_ids, contact.left_list_ids),
  deleted_at: now,
  updated_at: now,
});

/** Why a contact may not be stored, with the field at fault; undefined when it may. */
export function contactFault(contact: Contact): { field: string; message: string } | undefined {
  const metadata = metadataFault(contact.metadata);
  if (metadata) return { field: 'metadata', message: `merged with what is stored: ${metadata.message}` };
  if (contact.tag_ids.length > membershipLimit)
    return { field: 'tag_ids', message: `a contact has at most ${membershipLimit} tags` };
  if (contact.list_ids.length > membershipLimit)
    return { field: 'list_ids', message: `a contact is on at most ${membershipLimit} lists` };
  return undefined;
}

/** The contact, if it may be stored; throws 422 on the field at fault. */
export function checked<T extends Contact>(contact: T): T {
  const fault = contactFault(contact);
  if (fault) throw new ValidationError({ [fault.field]: [fault.message] });
  return contact;
}

const fieldNames = writtenFields(contactFields);

function withFields(contact: Contact, input: ContactInput): Contact {
  const after = { ...contact };
  for (const name of fieldNames) if (input[name] !== undefined) after[name] = input[name] ?? undefined;
  if (input.metadata) {
    const merged = Object.entries({ ...contact.metadata, ...input.metadata });
    after.metadata = Object.fromEntries(merged.filter(([, value]) => value !== null));
  }
  return after;
}

/** `after` with a new `updated_at`, or `before` itself when they are the same. */
function settled(before: Contact, after: Contact, now: string): Contact {
  const { updated_at: _at, ...rest } = after;
  const { updated_at: _before, ...known } = before;
  return canonical(known) === canonical(rest) ? before : { ...after, updated_at: now };
}

const canonical = (value: object): string =>
  JSON.stringify(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
