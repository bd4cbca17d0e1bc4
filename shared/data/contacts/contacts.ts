import { type ContactStatus, contactFields } from '../../domain/contacts/contact.ts';
import { viewOf } from '../../domain/record.ts';
import { timestamp } from '../../domain/time.ts';
import { type EventRef, keyOf } from '../events/rows.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { neighbours } from '../neighbours.ts';
import { merged, resolved, type Search, type Source, selected } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';
import { changedSince } from './changed-since.ts';
import { type ContactItem, type IndexedStatus, live } from './contact-item.ts';
import { emailsOf } from './id-rows.ts';
import type { Membership } from './member-counts.ts';

export type { ContactItem } from './contact-item.ts';
export { emailsOf } from './id-rows.ts';

/** A contact in a path: its id or its normalized email. */
export type ContactRef = number | string;

/** Reads one contact by id or normalized email; undefined when absent, deleted or another team's. */
export async function find(teamId: number, ref: ContactRef): Promise<ContactItem | undefined> {
  return live(await findStored(teamId, ref));
}

/** Reads one contact by id or normalized email, also while it is soft-deleted. */
export async function findStored(teamId: number, ref: ContactRef): Promise<ContactItem | undefined> {
  if (typeof ref === 'string') return table.get<ContactItem>(keys.contact(teamId, ref));
  const [email] = await emailsOf(teamId, [ref]);
  const found = email === undefined ? undefined : await table.get<ContactItem>(keys.contact(teamId, email));
  return found?.id === ref ? found : undefined;
}

/** Reads many contacts, in the order of the emails; undefined for one that is absent or deleted. */
export async function batch(
  teamId: number,
  emails: readonly string[],
  options: { eventual?: boolean } = {},
): Promise<(ContactItem | undefined)[]> {
  const wanted = emails.map((email) => keys.contact(teamId, email));
  return (await table.batchGet<ContactItem>(wanted, options)).map(live);
}

/** The most contacts in the range of a page: one whose neighbours are mostly others is read by its keys. */
const fewContacts = 100;

/** Reads live contacts, most of which are neighbours among all of the team's. */
export async function batchNear(teamId: number, emails: readonly string[]): Promise<(ContactItem | undefined)[]> {
  const found = await neighbours<ContactItem>(partitions.contacts(teamId), emails, fewContacts);
  return emails.map((email) => live(found.get(email)));
}

/** Reads live contacts; by address. */
export async function byAddress(...given: Parameters<typeof batch>): Promise<Map<string, ContactItem>> {
  const found = await batch(...given);
  return new Map(found.flatMap((contact) => (contact ? [[contact.email, contact] as const] : [])));
}

/** Reads many contacts, in the order of the emails, also soft-deleted ones; undefined for one that is absent. */
export function batchStored(teamId: number, emails: readonly string[]): Promise<(ContactItem | undefined)[]> {
  return table.batchGet<ContactItem>(emails.map((email) => keys.contact(teamId, email)));
}

/** The index that a read of contacts uses: it has all that are wanted, and may have others. */
export type ContactIndex =
  | { by: 'email' }
  | { by: 'list'; id: number }
  | { by: 'tags'; ids: readonly number[] }
  | { by: 'status'; status: IndexedStatus };

/** The filters of a listing that the contact's row decides. */
const filters = {
  status: (contact: ContactItem, status: ContactStatus) => contact.status === status,
  tag_id: (contact: ContactItem, id: number) => contact.tag_ids.includes(id),
  list_id: (contact: ContactItem, id: number) => contact.list_ids.includes(id),
};
type RowFilters = { [Name in keyof typeof filters]?: Parameters<(typeof filters)[Name]>[1] };

/** What narrows a listing of contacts; every given filter must match. */
export interface ContactFilter extends RowFilters {
  /** Changed at or after this time; the order is then that of change, oldest first, whatever the index. */
  updated_since?: string;
  /** Selects the contacts of a batch that are in a segment. */
  segment?: (contacts: readonly ContactItem[]) => Promise<ContactItem[]>;
  index: ContactIndex;
}

/** The team's live contacts that pass a filter, by email, or with `updated_since` in order of change. */
export function list(teamId: number, filter: ContactFilter): Search<ContactItem> {
  const given = (Object.keys(filters) as (keyof RowFilters)[]).filter((name) => filter[name] !== undefined);
  const passes = (contact: ContactItem) =>
    live(contact) !== undefined && given.every((name) => filters[name](contact, filter[name] as never));
  return selected(base(teamId, filter), async (contacts) => {
    const passed = contacts.filter(passes);
    return filter.segment && passed.length > 0 ? filter.segment(passed) : passed;
  });
}

function base(teamId: number, { updated_since, index, ...filter }: ContactFilter): Search<ContactItem> {
  if (updated_since !== undefined) return changedSince(teamId, updated_since, fewMembers(teamId, index));
  if (index.by === 'email') return partition<ContactItem>({ pk: partitions.contacts(teamId) });
  const rows: Source<Key> =
    index.by === 'status'
      ? partition<Key>({ pk: partitions.contactsByStatus(teamId, index.status), index: 'gsi2' })
      : members(teamId, index);
  const { tag_id, list_id } = filter;
  const others = [
    ...(tag_id === undefined || index.by === 'tags' ? [] : [partitions.tag(teamId, tag_id)]),
    ...(list_id === undefined || index.by === 'list' ? [] : [partitions.list(teamId, list_id)]),
  ];
  return behind(teamId, others.length > 0 ? selected(rows, (some) => inAll(others, some)) : rows);
}

/** A range with so many more rows than are looked for costs more than their keys. */
const rowsPerKey = 20;

/** The rows whose addresses are in all of some lists and tags: a contact is read only where it may be shown. */
async function inAll(pks: readonly string[], rows: readonly Key[]): Promise<Key[]> {
  let left = [...rows];
  for (const pk of pks) {
    const emails = left.map(({ sk }) => sk);
    const found = await neighbours<Key>(pk, emails, emails.length * rowsPerKey);
    left = left.filter(({ sk }) => found.has(sk));
  }
  return left;
}

/** So many members cost less to read than most contacts that changed. */
const maxMembers = 1_000;

/** The rows of the members of a small list or tag, which is read once; of a larger one, all rows. */
function fewMembers(teamId: number, index: ContactIndex): (<R extends Key>(rows: R[]) => Promise<R[]>) | undefined {
  const [what, id] = index.by === 'list' ? (['list', index.id] as const) : (['tag', singleTag(index)] as const);
  if (id === undefined) return undefined;
  let read: ReturnType<typeof memberEmails> | undefined;
  return async (rows) => {
    read ??= memberEmails(teamId, what, id, maxMembers);
    const { emails, all } = await read;
    const members = new Set(emails);
    return all ? rows.filter(({ sk }) => members.has(sk)) : rows;
  };
}

const singleTag = (index: ContactIndex): number | undefined =>
  index.by === 'tags' && index.ids.length === 1 ? index.ids[0] : undefined;

/** The rows of a list's members, or of the contacts with any of some tags, by email, each address once. */
export function members(teamId: number, index: Extract<ContactIndex, { by: 'list' | 'tags' }>): Source<Key> {
  if (index.by === 'list') return partition<Key>({ pk: partitions.list(teamId, index.id) });
  const tagged = index.ids.map((id) => partition<Key>({ pk: partitions.tag(teamId, id) }));
  return merged(tagged, true);
}

/** The first addresses of a list or tag, up to `limit` in order; and whether these are all. */
export async function memberEmails(
  teamId: number,
  what: Membership,
  id: number,
  limit: number,
): Promise<{ emails: string[]; all: boolean }> {
  const rows = { ...table.within(partitions[what](teamId, id)), ConsistentRead: true, Limit: limit };
  const { items, next } = await table.query<Key>(rows);
  return { emails: items.map(({ sk }) => sk), all: next === undefined };
}

/** The live contacts behind rows of members. */
export function behind(teamId: number, rows: Source<Key>): Source<ContactItem>;
export function behind(teamId: number, rows: Search<Key>): Search<ContactItem>;
export function behind(teamId: number, rows: Search<Key>): Search<ContactItem> {
  return resolved(rows, (some) =>
    table.batchGet<ContactItem>(some.map(({ sk }) => keys.contact(teamId, sk))).then((found) => found.map(live)),
  );
}

type Update = Omit<Parameters<typeof table.updateIf>[0], 'Key'>;

/** Updates a contact's row if the condition holds (unless given: that it exists); false when it did not. */
function updated(teamId: number, email: string, input: Update): Promise<boolean> {
  return table.writeIf({ Key: keys.contact(teamId, email), ConditionExpression: 'attribute_exists(pk)', ...input });
}

type EngagementField = 'last_opened_at' | 'last_clicked_at';

/** Records the last human open or click of a contact; one that is earlier than the known one changes nothing. */
export async function noteEngagement(
  teamId: number,
  email: string,
  attribute: EngagementField,
  at: string,
): Promise<void> {
  await updated(teamId, email, {
    UpdateExpression: `SET ${attribute} = :at`,
    ConditionExpression: `attribute_exists(pk) AND (attribute_not_exists(${attribute}) OR ${attribute} < :at)`,
    ExpressionAttributeValues: { ':at': at },
  });
}

/** Undoes a last human open or click in a time span that machines made: the contact gets the one `before`, or none. */
export async function restoreEngagement(
  teamId: number,
  email: string,
  attribute: EngagementField,
  { from, to }: { from: string; to: string },
  before: string | undefined,
): Promise<void> {
  await updated(teamId, email, {
    UpdateExpression: before === undefined ? `REMOVE ${attribute}` : `SET ${attribute} = :before`,
    ConditionExpression: `${attribute} BETWEEN :from AND :to`,
    ExpressionAttributeValues: { ':from': from, ':to': to, ...(before !== undefined && { ':before': before }) },
  });
}

/** The write that claims the confirmation message of a contact as it was read: fails when it is sent or not wanted. */
export function claimConfirmation(teamId: number, contact: ContactItem): table.TransactionWrite {
  const { id, email, confirmation_requested_at: asked } = contact;
  return {
    Update: {
      Key: keys.contact(teamId, email),
      UpdateExpression: 'SET confirmation_sent_at = :now',
      ConditionExpression:
        'id = :id AND #status = :pending AND confirmation_requested_at = :asked' +
        ' AND (attribute_not_exists(confirmation_sent_at) OR confirmation_sent_at < :asked)',
      ExpressionAttributeValues: { ':now': timestamp(), ':id': id, ':pending': 'pending', ':asked': asked },
    },
  };
}

/** Releases a claimed confirmation message that was surely not sent. */
export async function releaseConfirmation(teamId: number, contact: ContactItem): Promise<void> {
  const { email, confirmation_sent_at } = contact;
  const claimed = { confirmation_sent_at: 'the claim' };
  await updated(teamId, email, table.changes(claimed, { confirmation_sent_at }, 'attribute_exists(pk)'));
}

/** Resets the count of soft bounces. */
export async function resetSoftBounces(teamId: number, email: string): Promise<void> {
  await updated(teamId, email, {
    UpdateExpression: 'SET soft_bounce_count = :none',
    ExpressionAttributeValues: { ':none': 0 },
  });
}

/** Counts a stored soft bounce on its contact once; returns the number in a row. */
export async function countSoftBounce(teamId: number, email: string, event: EventRef): Promise<number> {
  const Key = keys.contact(teamId, email);
  const eventKey = await keyOf(teamId, event);
  await table.transactIf([
    {
      Update: {
        Key,
        UpdateExpression: 'ADD soft_bounce_count :one',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':one': 1 },
      },
    },
    {
      Update: {
        Key: eventKey,
        UpdateExpression: 'SET counted = :true',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(counted)',
        ExpressionAttributeValues: { ':true': true },
      },
    },
  ]);
  return (await table.get<ContactItem>(Key))?.soft_bounce_count ?? 0;
}

/** The contact as the API shows it. */
export const view = viewOf(contactFields);
