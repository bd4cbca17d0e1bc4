import type { ContactItem } from '../../data/contacts/contact-item.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import { takeIds } from '../../data/counters.ts';
import {
  applyUpsert,
  type Contact,
  type ContactUpsert,
  contactFault,
  type DoubleOptIn,
  type NewContact,
} from '../../domain/contacts/contact.ts';
import { askingLists } from '../../domain/contacts/opt-in.ts';
import { ValidationError } from '../../domain/errors.ts';
import type { Operation } from '../../domain/operation.ts';
import { timestamp } from '../../domain/time.ts';
import { changeContacts } from './change.ts';
import { findReferences } from './find-references.ts';
import { followSuppressions } from './suppress.ts';

/** One row of an upsert, with its path for errors (`contacts.3`; empty for a single row). */
export interface UpsertRow {
  path: string;
  input: ContactUpsert;
}

/** The result of one row. */
export interface Upserted {
  contact: ContactItem;
  /** True for the row that created the contact, also when the operation runs again after a crash. */
  created: boolean;
}

/** Tags and lists for every row. */
interface Memberships {
  tag_ids?: readonly number[];
  list_ids?: readonly number[];
}

const pathOf = (row: { path: string }, field: string): string => (row.path ? `${row.path}.${field}` : field);

/** Upserts contacts by address, with `common` tags and lists for all; throws 422 before any write. */
export async function upsertContacts(
  teamId: number,
  operation: Operation,
  rows: readonly UpsertRow[],
  common: Memberships = {},
): Promise<Upserted[]> {
  const whole = [{ path: '', input: common }, ...rows];
  const mentions = (field: 'tag_ids' | 'list_ids') =>
    whole.map((row) => ({ path: pathOf(row, field), ids: row.input[field] }));
  const { lists } = await findReferences(teamId, { tags: mentions('tag_ids'), lists: mentions('list_ids') });
  const doubleOptIn = askingLists(lists.values());
  const byEmail = Map.groupBy(
    rows.map((row) => ({ ...row, input: joined(row.input, common) })),
    (row) => row.input.email,
  );
  const emails = [...byEmail.keys()];
  const idsFor = idBlock(teamId, operation, emails);

  const changed = await changeContacts(teamId, emails, async (stored) => {
    const absent = stored.flatMap(({ email, contact }) => (contact ? [] : [email]));
    // A suppression of this very moment is followed at the end.
    const reasonsNow = suppressions.reasons(teamId, absent, { eventual: true });
    const [ids, reasons] = await Promise.all([idsFor(absent), reasonsNow]);
    const reasonOf = new Map(absent.map((email, index) => [email, reasons[index]]));
    return stored.map(({ email, contact }) =>
      applyRows(contact, byEmail.get(email)!, doubleOptIn, {
        id: ids.get(email)!,
        created_by: operation.id,
        suppressedFor: reasonOf.get(email),
      }),
    );
  });
  const added = changed.flatMap((contact) => (contact?.created_by === operation.id ? [contact] : []));
  const contacts = new Map([...changed, ...(await followSuppressions(teamId, added))].map((row) => [row!.email, row!]));
  const answered = new Set<string>();
  return rows.map(({ input: { email } }) => {
    const contact = contacts.get(email)!;
    const created = contact.created_by === operation.id && !answered.has(email);
    answered.add(email);
    return { contact, created };
  });
}

const joined = (input: ContactUpsert, common: Memberships) => ({
  ...input,
  tag_ids: [...(input.tag_ids ?? []), ...(common.tag_ids ?? [])],
  list_ids: [...(input.list_ids ?? []), ...(common.list_ids ?? [])],
});

/** Applies the rows of one address in order; throws 422 on the path of the row that makes the contact too big. */
function applyRows(
  stored: Contact | undefined,
  rows: readonly { path: string; input: ReturnType<typeof joined> }[],
  doubleOptIn: DoubleOptIn,
  asNew: NewContact,
): Contact {
  let contact = stored;
  for (const row of rows) {
    contact = applyUpsert(contact, row.input, asNew, doubleOptIn, timestamp());
    const fault = contactFault(contact);
    if (fault) throw new ValidationError({ [pathOf(row, fault.field)]: [fault.message] });
  }
  return contact!;
}

/** Gives ids to new addresses: one block of the exact size, and the same ids when the operation runs again. */
function idBlock(teamId: number, operation: Operation, emails: readonly string[]) {
  const given = new Map<string, number>();
  return async (absent: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    if (absent.length > 0 && given.size === 0) {
      const isAbsent = new Set(absent);
      const { first, places } = await operation.memoize('contact_ids', async () => ({
        first: await takeIds(teamId, 'contact', absent.length),
        // The addresses that the block is for, by their indexes in the request.
        places: emails.flatMap((email, index) => (isAbsent.has(email) ? [index] : [])),
      }));
      for (const [offset, index] of places.entries()) given.set(emails[index]!, first + offset);
    }
    const more = absent.filter((email) => !given.has(email));
    if (more.length > 0) {
      const first = await takeIds(teamId, 'contact', more.length);
      for (const [offset, email] of more.entries()) given.set(email, first + offset);
    }
    return given;
  };
}
