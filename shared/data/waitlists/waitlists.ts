import { config } from '../../aws/config.ts';
import { Unavailable, ValidationError } from '../../domain/errors.ts';
import { timestamp } from '../../domain/time.ts';
import { slugOf, slugWithTail, type WaitlistStatus } from '../../domain/waitlists/waitlist.ts';
import type { DueJob } from '../due-jobs.ts';
import { keys, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { idSource } from '../sources.ts';
import * as table from '../table.ts';

/** A waitlist; its signups and its queue are rows of their own (waitlist-signups, waitlist-queue). */
export interface WaitlistItem {
  pk: string;
  sk: string;
  id: number;
  name: string;
  /** Its page's address; no other waitlist of any team has it. */
  slug: string;
  description?: string;
  status: WaitlistStatus;
  /** Where who joins is led. */
  invite_url?: string;
  /** Signups that are not removed. */
  signups_count: number;
  /** Signups in the queue. */
  pending_count: number;
  /** The end of the queue: the place that the next signup gets. */
  next_slot: number;
  /** Grows with every change of the waitlist and of its queue: who changes one says which version was read (docs/decisions/waitlist-positions.md). */
  version: number;
  created_at: string;
  updated_at: string;
}

/** What a person may write of a waitlist; `null` clears. */
export interface WaitlistInput {
  name?: string;
  slug?: string;
  description?: string | null;
  status?: WaitlistStatus;
  invite_url?: string | null;
}

/** What becomes of a waitlist, written together with what hangs on it; without `fields` nothing is written. */
export interface Decision<T> {
  result: T;
  fields?: Partial<WaitlistItem>;
  writes?: table.TransactionWrite[];
}

/** With the pauses between them, less than the API's time for an answer. */
const attempts = 60;
/** A random while, longer after each attempt but never so long that newcomers overtake for good. */
const pause = (attempt: number): Promise<void> => table.pause(Math.min(attempt, longestPause));
const longestPause = 5;

const slugTaken = () => new ValidationError({ slug: ['another waitlist has this slug'] });

/** Reads one waitlist; undefined when it is not the team's. */
export function find(teamId: number, id: number): Promise<WaitlistItem | undefined> {
  return table.get<WaitlistItem>(keys.waitlist(teamId, id));
}

/** The waitlist that is at a slug, and its team; undefined when none is. */
export async function findBySlug(slug: string): Promise<{ teamId: number; waitlist: WaitlistItem } | undefined> {
  const owner = await table.get<{ team_id: number; waitlist_id: number }>(keys.waitlistSlug(slug));
  const waitlist = owner && (await find(owner.team_id, owner.waitlist_id));
  return waitlist && { teamId: owner.team_id, waitlist };
}

/** The team's waitlists, newest first. */
export function list(teamId: number): Source<WaitlistItem> {
  return idSource<WaitlistItem>(partitions.waitlists(teamId));
}

const claimSlug = (teamId: number, id: number, slug: string): table.TransactionWrite => ({
  Put: {
    Item: { ...keys.waitlistSlug(slug), team_id: teamId, waitlist_id: id },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** Stores a new waitlist under its slug, or under one like its name; throws 422 when the slug is taken. Again under the same id changes nothing. */
export async function create(
  teamId: number,
  id: number,
  input: WaitlistInput & { name: string },
): Promise<WaitlistItem> {
  const wanted = input.slug ?? slugOf(input.name);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const slug = wanted && attempt === 0 ? wanted : slugWithTail(wanted ?? 'waitlist');
    const item = newWaitlist(teamId, id, slug, input);
    const created = await table.transactIf([
      claimSlug(teamId, id, slug),
      { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
    ]);
    if (created) return item;
    const existing = await find(teamId, id);
    if (existing) return existing;
    if (input.slug) throw slugTaken();
  }
  throw new Unavailable();
}

function newWaitlist(teamId: number, id: number, slug: string, input: WaitlistInput & { name: string }): WaitlistItem {
  const at = timestamp();
  return {
    ...keys.waitlist(teamId, id),
    id,
    name: input.name,
    slug,
    description: input.description ?? undefined,
    status: input.status ?? 'active',
    invite_url: input.invite_url ?? undefined,
    signups_count: 0,
    pending_count: 0,
    next_slot: 1,
    version: 1,
    created_at: at,
    updated_at: at,
  };
}

/**
 * Changes a waitlist and what hangs on it in one transaction, over the version that was read: one change at a time. `decide` is asked again
 * when somebody else was first, with a fresh row and with what `look` finds, which is read beside it: the writes have conditions of their own
 * for that. Undefined when there is no such waitlist; throws 503 when too many others were first.
 */
export async function change<T, Seen = undefined>(
  teamId: number,
  id: number,
  decide: (waitlist: WaitlistItem, seen: Seen) => Promise<Decision<T>>,
  look?: () => Promise<Seen>,
): Promise<T | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await pause(attempt);
    const [before, seen] = await Promise.all([find(teamId, id), look?.()]);
    if (!before) return undefined;
    const { result, fields, writes = [] } = await decide(before, seen as Seen);
    if (!fields) return result;
    // Rows read one after another can show a signup in two slots; DynamoDB takes one write per item and refuses the rest as invalid.
    if (table.writesTwice(writes)) continue;
    const update = table.changes(before, { ...before, ...fields, version: before.version + 1 });
    const written = await table.transactOnce([
      {
        Update: {
          Key: keys.waitlist(teamId, id),
          ...update,
          ConditionExpression: '#version = :read',
          ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':read': before.version },
        },
      },
      ...writes,
    ]);
    if (written) return result;
  }
  throw new Unavailable('Too many writers on the same waitlist; try again.');
}

/** Writes the given fields of a waitlist; undefined when it is not the team's. Throws 422 when the slug is another's. */
export function update(teamId: number, id: number, input: WaitlistInput): Promise<WaitlistItem | undefined> {
  return change(teamId, id, async (before) => {
    const fields: Partial<WaitlistItem> = {
      name: input.name ?? before.name,
      slug: input.slug ?? before.slug,
      description: input.description === undefined ? before.description : (input.description ?? undefined),
      status: input.status ?? before.status,
      invite_url: input.invite_url === undefined ? before.invite_url : (input.invite_url ?? undefined),
      updated_at: timestamp(),
    };
    const result = { ...before, ...fields };
    if (result.slug === before.slug) return { result, fields };
    if (await table.get(keys.waitlistSlug(result.slug))) throw slugTaken();
    return {
      result,
      fields,
      writes: [claimSlug(teamId, id, result.slug), { Delete: { Key: keys.waitlistSlug(before.slug) } }],
    };
  });
}

/** Deletes a waitlist, frees its slug and leaves `purge`, the reminder that the rest is to be cleaned up. */
export async function remove(teamId: number, id: number, purge: DueJob): Promise<void> {
  const waitlist = await find(teamId, id);
  if (!waitlist) return;
  const removed = await table.transactIf([
    {
      Delete: {
        Key: keys.waitlist(teamId, id),
        ConditionExpression: 'slug = :slug',
        ExpressionAttributeValues: { ':slug': waitlist.slug },
      },
    },
    { Delete: { Key: keys.waitlistSlug(waitlist.slug) } },
    { Put: { Item: purge } },
  ]);
  if (!removed) await remove(teamId, id, purge);
}

/** The address of a waitlist's hosted page. */
export const publicUrl = ({ slug }: Pick<WaitlistItem, 'slug'>): string => `${config.baseUrl}/w/${slug}`;

/** The waitlist as the API shows it. */
export function view(waitlist: WaitlistItem) {
  return {
    id: waitlist.id,
    name: waitlist.name,
    slug: waitlist.slug,
    status: waitlist.status,
    public_url: publicUrl(waitlist),
    signups_count: waitlist.signups_count,
    description: waitlist.description ?? null,
    invite_url: waitlist.invite_url ?? null,
  };
}
