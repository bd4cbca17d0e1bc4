import { timestamp } from '../../domain/time.ts';
import type { SignupStatus } from '../../domain/waitlists/waitlist.ts';
import { type Key, keys, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { idSource } from '../sources.ts';
import * as table from '../table.ts';
import * as queue from './queue.ts';
import { find as findWaitlist, type WaitlistItem } from './waitlists.ts';

/** A signup of a waitlist; other rows point to it by its address and by its referral code. */
export interface SignupItem extends Key {
  id: number;
  waitlist_id: number;
  email: string;
  name?: string;
  metadata: Record<string, unknown>;
  status: SignupStatus;
  /** Its slot in the queue while it is pending; its position is the number of occupied slots up to this one. */
  slot?: number;
  referral_code: string;
  referrals_count: number;
  /** The signup whose code it used; counted once. */
  referred_by?: number;
  /** The signup whose code it used on the hosted page: it becomes `referred_by` once the address is confirmed. */
  unconfirmed_referrer?: number;
  created_at: string;
  invited_at?: string;
  /** When the sending of the invitation was claimed. */
  invitation_sent_at?: string;
  joined_at?: string;
  removed_at?: string;
}

/** A signup with its position; null unless it is pending. */
export interface Placed {
  signup: SignupItem;
  position: number | null;
}

/** Reads one signup; undefined when the waitlist does not have it. */
export function find(teamId: number, waitlistId: number, id: number): Promise<SignupItem | undefined> {
  return table.get<SignupItem>(keys.waitlistSignup(teamId, waitlistId, id));
}

/** Reads many signups, in the order of the ids; undefined where the waitlist does not have one. */
export function batch(teamId: number, waitlistId: number, ids: readonly number[]): Promise<(SignupItem | undefined)[]> {
  return table.batchGet<SignupItem>(ids.map((id) => keys.waitlistSignup(teamId, waitlistId, id)));
}

/** Reads the signup that an address has on a waitlist; undefined when it has none. */
export async function findByEmail(teamId: number, waitlistId: number, email: string): Promise<SignupItem | undefined> {
  const row = await table.get<{ signup_id: number }>(keys.waitlistAddress(teamId, email, waitlistId));
  return row && find(teamId, waitlistId, row.signup_id);
}

/** The signups of a waitlist, newest first. */
export function list(teamId: number, waitlistId: number): Source<SignupItem> {
  return idSource<SignupItem>(partitions.waitlistSignups(teamId, waitlistId));
}

const maxReads = 6;

/**
 * Signups with their positions, as of one moment: they are read again, a few times, while the waitlist changes.
 * `version` is that of the waitlist before the signups were read.
 */
export async function place(
  teamId: number,
  waitlistId: number,
  version: number,
  signups: readonly SignupItem[],
): Promise<Placed[]> {
  let [read, current] = [version, signups];
  for (let attempt = 1; ; attempt++) {
    const slots = current.flatMap(({ slot }) => slot ?? []);
    const places = await queue.positions(teamId, waitlistId, slots);
    const waitlist = await findWaitlist(teamId, waitlistId);
    const consistent = current.every(({ id, slot }) => slot === undefined || places.get(slot)?.signup_id === id);
    if (!waitlist || (consistent && waitlist.version === read) || attempt === maxReads)
      return current.map((signup) => ({ signup, position: places.get(signup.slot ?? 0)?.position ?? null }));
    read = waitlist.version;
    const ids = current.map(({ id }) => id);
    const again = await batch(teamId, waitlistId, ids);
    current = current.map((signup, index) => again[index] ?? signup);
  }
}

/** The write that changes a signup, on condition that its status, address, referrals and slot are as they were read. */
export function rewrite(before: SignupItem, after: SignupItem): table.TransactionWrite {
  const sameSlot = before.slot === undefined ? 'attribute_not_exists(slot)' : 'slot = :at';
  const asRead = `#status = :was AND email = :address AND referrals_count = :referrals AND ${sameSlot}`;
  const { status, email, referrals_count, slot } = before;
  const read = { ':was': status, ':address': email, ':referrals': referrals_count };
  return { Update: table.editOf(before, after, asRead, slot === undefined ? read : { ...read, ':at': slot }) };
}

/** Writes that take signups out of the queue and change them by `into`, and the count of pending ones after that. */
export function end(
  teamId: number,
  waitlist: WaitlistItem,
  signups: readonly SignupItem[],
  into: (signup: SignupItem) => SignupItem,
): { pending_count: number; writes: table.TransactionWrite[] } {
  const places = signups.flatMap(({ id, slot }) => (slot === undefined ? [] : [{ slot, signup_id: id }]));
  return {
    pending_count: waitlist.pending_count - places.length,
    writes: [
      ...signups.map((signup) => rewrite(signup, { ...into(signup), slot: undefined })),
      ...queue.leave(teamId, waitlist.id, places),
    ],
  };
}

/** Marks an invited signup as joined; undefined when it is not invited. */
export function join(teamId: number, waitlistId: number, id: number): Promise<SignupItem | undefined> {
  return table.updateIf<SignupItem>({
    Key: keys.waitlistSignup(teamId, waitlistId, id),
    UpdateExpression: 'SET #status = :joined, joined_at = :now',
    ConditionExpression: '#status = :invited',
    ExpressionAttributeValues: { ':joined': 'joined', ':invited': 'invited', ':now': timestamp() },
  });
}

/** The signup as the API shows it. */
export function view({ signup, position }: Placed) {
  return {
    id: signup.id,
    email: signup.email,
    name: signup.name ?? null,
    position,
    status: signup.status,
    referral_code: signup.referral_code,
    referrals_count: signup.referrals_count,
  };
}
