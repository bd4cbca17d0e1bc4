import type { Contact } from '../../domain/contacts/contact.ts';
import { contactEvent } from '../../domain/contacts/contact-event.ts';
import { Unavailable } from '../../domain/errors.ts';
import { timestamp } from '../../domain/time.ts';
import * as due from '../due-jobs.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';
import { type ContactItem, toItem } from './contact-item.ts';
import { idRemoval, idRowCount, idWrites } from './id-rows.ts';
import { type CountChange, countRows, countWrites } from './member-counts.ts';

/** The most items that DynamoDB writes in one transaction. */
const transactionItems = 100;
/** Memberships of one contact that one step changes: each may write a row and a counter. */
const membershipsPerStep = 45;
const maxAttempts = 60;
/** How often a late change gets a new time, so that a request ends on a table that stays slow. */
const maxAnnouncements = 5;

/** An address and its stored contact, which may be soft-deleted. */
interface Stored {
  email: string;
  contact: ContactItem | undefined;
}

/** Decides what contacts become: the same object for no change; runs again when another writer was first. */
export type Decision = (stored: readonly Stored[]) => Promise<(Contact | undefined)[]> | (Contact | undefined)[];

/** One contact as it was read and as it is to be written. */
interface Change {
  email: string;
  before: ContactItem | undefined;
  after: ContactItem | undefined;
}

/** The part of a change that one transaction writes. */
interface Step {
  change: Change;
  /** The contact after the last step. */
  target: ContactItem | undefined;
  whole: boolean;
  memberships: table.TransactionWrite[];
  counts: CountChange[];
}

/** Contacts as they are now, and the outbox events of the changes, to be published. */
export interface Changed {
  contacts: (ContactItem | undefined)[];
  outbox: due.DueJob[];
}

/**
 * Changes contacts as `decide` says, several in a transaction, over the version that was read: the row, its id, its
 * memberships, the counters of lists and tags and the outbox event together. `emails` must be unique and orders the
 * result.
 */
export async function change(teamId: number, emails: readonly string[], decide: Decision): Promise<Changed> {
  const now = new Map<string, ContactItem | undefined>();
  const outbox: due.DueJob[] = [];
  let { steps, unchanged } = await plan(teamId, emails, decide);
  for (let failures = 0; ; ) {
    for (const { email, contact } of unchanged) now.set(email, contact);
    if (steps.length === 0) return { contacts: emails.map((email) => now.get(email)), outbox };
    const { batch, left } = takeBatch(steps);
    const written = await write(teamId, batch);
    if (written) {
      outbox.push(...written.outbox);
      for (const { email, after } of written.changes) now.set(email, after);
      const rests = batch.flatMap(({ whole, target }, index): Change[] => {
        const { email, after } = written.changes[index]!;
        return whole ? [] : [{ email, before: after, after: target && changedNow(teamId, target) }];
      });
      steps = [...(await prepare(teamId, rests)), ...left];
      unchanged = [];
      failures = 0;
    } else {
      if (++failures === maxAttempts) throw new Unavailable('Too many writers on the same contacts; try again.');
      await table.pause(Math.min(failures, 5));
      const refused = batch.map((step) => step.change.email);
      const again = await plan(teamId, refused, decide);
      steps = [...again.steps, ...left];
      unchanged = again.unchanged;
    }
  }
}

/** A change that was decided longer ago than this gets a new `updated_at` before it is written. */
const freshMs = 100;
/** A commit that is later than this gets a new `updated_at`: incremental sync relies on it (changed-since.ts). */
const lateMs = 1_000;

/** Writes a batch in one transaction; undefined when a condition refused it, or another transaction was in the way. */
async function write(
  teamId: number,
  batch: readonly Step[],
): Promise<{ changes: Change[]; outbox: due.DueJob[] } | undefined> {
  const changes = batch.map(({ change }) => stamped(teamId, change, freshMs));
  const events = changes.flatMap(({ before, after }) => contactEvent(before, after) ?? []);
  const outbox = events.length > 0 ? [due.outboxEvent(teamId, events)] : [];
  const written = await table.transactOnce([
    ...changes.flatMap((change) => rowWrite(change)),
    ...(await idRowWrites(teamId, changes)),
    ...batch.flatMap(({ memberships }) => memberships),
    ...countWrites(
      teamId,
      batch.flatMap(({ counts }) => counts),
    ),
    ...outbox.map((Item) => ({ Put: { Item } })),
  ]);
  if (!written) return undefined;
  return { changes: await Promise.all(changes.map((change) => announceLate(teamId, change))), outbox };
}

/** A further step is a change by itself, with its own `updated_at`: subscribers and incremental sync must see it. */
const changedNow = (teamId: number, contact: Contact): ContactItem =>
  toItem(teamId, { ...contact, updated_at: timestamp() });

/** The change with a new `updated_at` if that is older than `olderThanMs`, and if it is a change that counts. */
function stamped(teamId: number, { email, before, after }: Change, olderThanMs: number): Change {
  const counts = after && after.updated_at !== before?.updated_at;
  if (!counts || Date.now() - Date.parse(after.updated_at) <= olderThanMs) return { email, before, after };
  return { email, before, after: toItem(teamId, { ...after, updated_at: timestamp() }) };
}

/**
 * Gives a change that was committed late a new `updated_at`, so that a sync that has passed the first one sees it;
 * again, some times, while that comes late, too. Ends where the contact has changed since: that has its own position.
 */
async function announceLate(teamId: number, change: Change): Promise<Change> {
  let announced = change;
  for (let round = 0; round < maxAnnouncements; round++) {
    const { email, before, after } = stamped(teamId, announced, lateMs);
    if (!after || after === announced.after) break;
    const { pk, sk, updated_at, gsi1sk, version } = after;
    const edit = table.editOf({ pk, sk }, { updated_at, gsi1sk }, '#version = :version', { ':version': version });
    const written = await table.writeIf(edit);
    announced = { email, before, after };
    if (!written) break;
  }
  return announced;
}

async function plan(
  teamId: number,
  emails: readonly string[],
  decide: Decision,
): Promise<{ steps: Step[]; unchanged: Stored[] }> {
  const rows = await table.batchGet<ContactItem>(emails.map((email) => keys.contact(teamId, email)));
  const stored = emails.map((email, index) => ({ email, contact: rows[index] }));
  const decided = await decide(stored);
  const unchanged = stored.filter(({ contact }, index) => decided[index] === contact);
  const changes = stored.flatMap(({ email, contact: before }, index): Change[] => {
    const after = decided[index];
    return after === before ? [] : [{ email, before, after: after && toItem(teamId, after) }];
  });
  return { steps: await prepare(teamId, changes), unchanged };
}

/** The first step of each change; lists and tags that were deleted since get no members and no counts. */
async function prepare(teamId: number, changes: readonly Change[]): Promise<Step[]> {
  const touched = new Map<string, Key>();
  for (const { before, after } of changes) {
    for (const kind of kinds) {
      const { joined, left } = difference(before?.[kind.ids], after?.[kind.ids]);
      for (const id of [...joined, ...left]) touched.set(`${kind.ids}#${id}`, kind.row(teamId, id));
    }
  }
  const rows = await table.batchGet([...touched.values()]);
  const existing = new Set([...touched.keys()].filter((_, index) => rows[index]));
  return changes.map((change) => step(teamId, change, existing));
}

const kinds = [
  { what: 'tag', ids: 'tag_ids', left: 'left_tag_ids', row: keys.tag, member: keys.tagging },
  { what: 'list', ids: 'list_ids', left: 'left_list_ids', row: keys.list, member: keys.membership },
] as const;

function difference(before: readonly number[] = [], after: readonly number[] = []) {
  return {
    joined: after.filter((id) => !before.includes(id)),
    left: before.filter((id) => !after.includes(id)),
  };
}

/** The memberships of one kind that a step changes: at most `room` of them, none on a list or tag that is deleted. */
function move(teamId: number, kind: (typeof kinds)[number], change: Change, existing: Set<string>, room: number) {
  const { email, before, after } = change;
  const { joined, left } = difference(before?.[kind.ids], after?.[kind.ids]);
  const exists = (id: number) => existing.has(`${kind.ids}#${id}`);
  const lost = new Set(joined.filter((id) => !exists(id)));
  const moving = [...left, ...joined.filter(exists)];
  const moved = moving.slice(0, room);
  const reached = new Set(before?.[kind.ids]);
  const writes = moved.map((id): table.TransactionWrite => {
    const key = kind.member(teamId, id, email);
    if (reached.delete(id)) return { Delete: { Key: key } };
    reached.add(id);
    return { Put: { Item: { ...key, id: after!.id } } };
  });
  return {
    writes,
    counts: moved.filter(exists).map((id) => ({ what: kind.what, id, delta: left.includes(id) ? -1 : 1 })),
    reached: [...reached].sort((a, b) => a - b),
    final: after?.[kind.ids].filter((id) => !lost.has(id)),
    whole: moved.length === moving.length,
  };
}

function step(teamId: number, wanted: Change, existing: Set<string>): Step {
  const { email, before } = wanted;
  const tags = move(teamId, kinds[0], wanted, existing, membershipsPerStep);
  const lists = move(teamId, kinds[1], wanted, existing, membershipsPerStep - tags.writes.length);
  const target = wanted.after && { ...wanted.after, tag_ids: tags.final!, list_ids: lists.final! };
  const whole = tags.whole && lists.whole;
  const reached = { tag_ids: tags.reached, list_ids: lists.reached };
  const after = whole ? target : intermediate(teamId, before, target, reached);
  return {
    change: { email, before, after: after && { ...after, version: (before?.version ?? 0) + 1 } },
    target,
    whole,
    memberships: [...tags.writes, ...lists.writes],
    counts: [...tags.counts, ...lists.counts],
  };
}

/** A contact between two steps: a deletion is marked in the last one, any other change in the first. */
function intermediate(
  teamId: number,
  before: ContactItem | undefined,
  target: ContactItem | undefined,
  reached: Pick<Contact, 'tag_ids' | 'list_ids'>,
): ContactItem {
  const base = !target || target.deleted_at ? before! : target;
  const after: Contact = { ...base, ...reached };
  for (const { ids, left } of kinds) {
    const remembered = new Set([...(before?.[left] ?? []), ...(target?.[left] ?? [])]);
    for (const id of after[ids]) remembered.delete(id);
    after[left] = remembered.size > 0 ? [...remembered] : undefined;
  }
  return toItem(teamId, after);
}

/** The write of the contact's row, on condition that it has not changed since it was read. */
function rowWrite({ before, after }: Change): table.TransactionWrite {
  if (!before) return { Put: { Item: after, ConditionExpression: 'attribute_not_exists(pk)' } };
  const asRead = 'id = :id AND #version = :read';
  const read = { ':id': before.id, ':read': before.version };
  if (after) return { Update: table.editOf(before, after, asRead, read) };
  const Key = { pk: before.pk, sk: before.sk };
  return { Delete: { Key, ConditionExpression: asRead, ExpressionAttributeValues: read } };
}

/** The writes of the rows that find created and erased contacts by id. */
async function idRowWrites(teamId: number, changes: readonly Change[]): Promise<table.TransactionWrite[]> {
  const created = changes.flatMap(({ before, after }) => (before ? [] : after!));
  const erased = changes.flatMap(({ before, after }) => (after ? [] : before!.id));
  return [...idWrites(teamId, created), ...(await Promise.all(erased.map((id) => idRemoval(teamId, id))))];
}

/** As many steps as fit in one transaction, with their outbox event; at least one. */
function takeBatch(steps: readonly Step[]): { batch: Step[]; left: Step[] } {
  const counters = new Set<string>();
  const created: number[] = [];
  let rows = 1;
  let size = 0;
  for (const { change, memberships, counts } of steps) {
    for (const row of countRows(counts)) counters.add(row);
    if (!change.before) created.push(change.after!.id);
    rows += 1 + memberships.length + (change.after ? 0 : 1);
    if (size > 0 && rows + counters.size + idRowCount(created) > transactionItems) break;
    size++;
  }
  return { batch: steps.slice(0, size), left: steps.slice(size) };
}
