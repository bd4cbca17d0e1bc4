import { config } from '../../aws/config.ts';
import { Unavailable, ValidationError } from '../../domain/errors.ts';
import { timestamp } from '../../domain/time.ts';
import { slugOf, slugWithTail, type WaitlistStatus } from '../../domain/waitlists/waitlist.ts';
import type { DueJob } from '../due-jobs.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { numbered } from '../sources.ts';
import * as table from '../table.ts';
import { changeVersioned } from '../versioned.ts';

/** A waitlist; its signups and the places of its queue are separate rows. */
export interface WaitlistItem extends Key {
  id: number;
  name: string;
  /** The address of its hosted page; unique among all teams. */
  slug: string;
  description?: string;
  status: WaitlistStatus;
  /** Where a signup that accepts its invitation is redirected. */
  invite_url?: string;
  /** Signups that are not removed. */
  signups_count: number;
  /** Signups in the queue. */
  pending_count: number;
  /** The slot of the next signup. */
  next_slot: number;
  /** Grows with every change of the waitlist or its queue, each on condition of the version that was read. */
  version: number;
  created_at: string;
  updated_at: string;
}

/** The fields of a waitlist that a client may write; `null` clears. */
export interface WaitlistInput {
  name?: string;
  slug?: string;
  description?: string | null;
  status?: WaitlistStatus;
  invite_url?: string | null;
}

/** What `change` is to write: fields of the waitlist and other rows; without `fields` nothing is written. */
interface Decision<T> {
  result: T;
  fields?: Partial<WaitlistItem>;
  writes?: table.TransactionWrite[];
}

/** Slugs that are tried for a new waitlist. */
const maxAttempts = 60;

const slugTaken = () => new ValidationError({ slug: ['another waitlist has this slug'] });

/** The reads of waitlists. */
export const { find, list } = numbered<WaitlistItem>(partitions.waitlists, keys.waitlist);

/** The waitlist with a slug, and its team; undefined when there is none. */
export async function findBySlug(slug: string): Promise<{ teamId: number; waitlist: WaitlistItem } | undefined> {
  const owner = await table.get<{ team_id: number; waitlist_id: number }>(keys.waitlistSlug(slug));
  const waitlist = owner && (await find(owner.team_id, owner.waitlist_id));
  return waitlist && { teamId: owner.team_id, waitlist };
}

const claimSlug = (teamId: number, id: number, slug: string): table.TransactionWrite => ({
  Put: {
    Item: { ...keys.waitlistSlug(slug), team_id: teamId, waitlist_id: id },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** Stores a new waitlist, its slug given or made from its name; idempotent for the same id. 422 when it is taken. */
export async function create(
  teamId: number,
  id: number,
  input: WaitlistInput & { name: string },
): Promise<WaitlistItem> {
  const wanted = input.slug ?? slugOf(input.name);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
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
 * Changes a waitlist and other rows, as `changeVersioned` does. `read` runs concurrently with the read of the waitlist:
 * writes that depend on its result need their own conditions.
 */
export function change<T, Read = undefined>(
  teamId: number,
  id: number,
  decide: (waitlist: WaitlistItem, found: Read) => Promise<Decision<T>>,
  read?: () => Promise<Read>,
): Promise<T | undefined> {
  const changed = async (before: WaitlistItem, found: Read) => {
    const { fields, ...decided } = await decide(before, found);
    return { ...decided, after: fields && { ...before, ...fields } };
  };
  return changeVersioned('waitlist', () => find(teamId, id), changed, read);
}

/** Writes the given fields of a waitlist; undefined when it is not the team's. Throws 422 when the slug is taken. */
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

/** Deletes a waitlist, frees its slug and stores the job `purge` that deletes its other rows. */
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
