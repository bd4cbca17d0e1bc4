import type { WaitlistEvent } from '../../domain/domain-event.ts';
import { erasedEmail } from '../../domain/email-address.ts';
import { NotApplicable, NotFound, ValidationError } from '../../domain/errors.ts';
import { timestamp } from '../../domain/time.ts';
import { normalizeCode, referralCode } from '../../domain/waitlists/waitlist.ts';
import { takeIds } from '../counters.ts';
import * as due from '../due-jobs.ts';
import { type Key, keys, partitions } from '../keys.ts';
import * as table from '../table.ts';
import * as queue from './queue.ts';
import { credit } from './referrals.ts';
import { batch, end, find, type Placed, place, rewrite, type SignupItem } from './signups.ts';
import { change, type WaitlistItem } from './waitlists.ts';

/** The input of a signup. */
export interface SignupInput {
  email: string;
  name?: string | null;
  referral_code?: string | null;
  metadata?: Record<string, unknown>;
}

const unknownCode = () => new ValidationError({ referral_code: ['no signup of this waitlist has this code'] });

/** A signup with its position, whether the address had signed up before, and the events to publish. */
export interface SignedUp extends Placed {
  known: boolean;
  outbox: due.DueJob[];
}

/** Where a signup comes from: a team vouches for its own; anybody may give any address to the page. */
export type Entrance = 'api' | 'page';

/**
 * Adds an address to the end of the queue, or finds its existing signup. A removed signup becomes pending again, with
 * the same id and code. Over the API its referrer moves up, and an unknown code is 422. On the page an unknown code is
 * ignored, and a referral counts once the address is confirmed (`referrals.confirm`): the event of the signup asks for
 * the message. Throws 404, and 422 when the waitlist is closed.
 */
export async function signUp(
  teamId: number,
  waitlistId: number,
  input: SignupInput,
  entrance: Entrance,
): Promise<SignedUp> {
  let newId: Promise<number> | undefined;
  const made = await change<{ known: SignupItem; version: number } | SignedUp, Found>(
    teamId,
    waitlistId,
    async (waitlist, { known, referrer, id }) => {
      if (input.referral_code && !referrer && entrance === 'api') throw unknownCode();
      if (known && known.status !== 'removed') return { result: { known, version: waitlist.version } };
      if (waitlist.status === 'closed') throw new NotApplicable('The waitlist is closed.');
      const referral = known?.referred_by === undefined && referrer?.id !== id ? referrer : undefined;
      const credited = entrance === 'api' ? referral : undefined;
      const signup = { ...pending(teamId, waitlist, id, input, known), ...referralOf(known, referral, entrance) };
      const event = due.outboxEvent(teamId, [signupEvent(signup, entrance === 'page')]);
      const position = waitlist.pending_count + 1;
      return {
        result: { signup, position, known: known !== undefined, outbox: [event] },
        fields: {
          signups_count: waitlist.signups_count + 1,
          pending_count: position,
          next_slot: waitlist.next_slot + 1,
        },
        writes: [
          ...(known ? [rewrite(known, signup)] : newRows(teamId, signup)),
          ...queue.enter(teamId, waitlistId, { slot: waitlist.next_slot, signup_id: id }),
          ...(credited ? await credit(teamId, waitlistId, credited) : []),
          { Put: { Item: event } },
        ],
      };
    },
    async () => {
      newId ??= takeIds(teamId, 'waitlist_signup');
      const [found, id] = await Promise.all([lookUp(teamId, waitlistId, input), newId]);
      return { ...found, id: found.known?.id ?? id };
    },
  );
  if (!made) throw new NotFound('waitlist');
  if ('signup' in made) return made;
  const [placed] = await place(teamId, waitlistId, made.version, [made.known]);
  // A request whose own signup was written, though the answer was lost, knows no other.
  return { ...placed!, known: made.known.id !== (await newId), outbox: [] };
}

/** The event of a signup that has entered the queue, once each time. `mail`: its place and link are mailed to it. */
const signupEvent = ({ id, waitlist_id, slot }: SignupItem, mail: boolean): WaitlistEvent => ({
  id: `signup-${id}-${slot}`,
  type: 'waitlist.signup',
  waitlist_id,
  signup_id: id,
  ...(mail && { mail }),
});

/** The signup of the address, the signup that the referral code belongs to, and the id of the signup to write. */
interface Found {
  known: SignupItem | undefined;
  referrer: SignupItem | undefined;
  id: number;
}

async function lookUp(
  teamId: number,
  waitlistId: number,
  { email, referral_code }: SignupInput,
): Promise<Pick<Found, 'known' | 'referrer'>> {
  const code = referral_code ? [keys.waitlistCode(teamId, waitlistId, normalizeCode(referral_code))] : [];
  const found = await table.batchGet<{ signup_id: number }>([keys.waitlistAddress(teamId, email, waitlistId), ...code]);
  if (!found.some(Boolean)) return { known: undefined, referrer: undefined };
  const ids = found.map((row) => row?.signup_id ?? 0);
  const [known, referrer] = await batch(teamId, waitlistId, ids);
  return { known, referrer };
}

function pending(
  teamId: number,
  waitlist: WaitlistItem,
  id: number,
  { email, name, metadata }: SignupInput,
  known: SignupItem | undefined,
): SignupItem {
  const blank = { metadata: {}, referral_code: referralCode(), referrals_count: 0, created_at: timestamp() };
  return {
    ...keys.waitlistSignup(teamId, waitlist.id, id),
    id,
    waitlist_id: waitlist.id,
    email,
    ...(known ?? blank),
    status: 'pending',
    slot: waitlist.next_slot,
    name: name ?? known?.name,
    metadata: metadata ?? known?.metadata ?? {},
    invited_at: undefined,
    invitation_sent_at: undefined,
    joined_at: undefined,
    removed_at: undefined,
  };
}

/** A signup's referrer, counted at once or once its address is confirmed. */
function referralOf(known: SignupItem | undefined, referrer: SignupItem | undefined, entrance: Entrance) {
  if (referrer && entrance === 'api') return { referred_by: referrer.id, unconfirmed_referrer: undefined };
  return { unconfirmed_referrer: known?.unconfirmed_referrer ?? referrer?.id };
}

function newRows(teamId: number, signup: SignupItem): table.TransactionWrite[] {
  const { id: signup_id, waitlist_id, email, referral_code } = signup;
  return [
    signup,
    { ...keys.waitlistAddress(teamId, email, waitlist_id), waitlist_id, signup_id },
    { ...keys.waitlistCode(teamId, waitlist_id, referral_code), signup_id },
  ].map((Item) => ({ Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } }));
}

/** Removes a signup from the waitlist; false when it was removed before. Throws 404. */
export async function remove(teamId: number, waitlistId: number, id: number): Promise<boolean> {
  const removed = await change(teamId, waitlistId, async (waitlist) => {
    const signup = await find(teamId, waitlistId, id);
    if (!signup) throw new NotFound('signup');
    if (signup.status === 'removed') return { result: false };
    const { pending_count, writes } = end(teamId, waitlist, [signup], toRemoved);
    return { result: true, fields: { pending_count, signups_count: waitlist.signups_count - 1 }, writes };
  });
  if (removed === undefined) throw new NotFound('waitlist');
  return removed;
}

const toRemoved = (signup: SignupItem): SignupItem => ({ ...signup, status: 'removed', removed_at: timestamp() });

/** Removes an address from every waitlist of the team and from its signups created until `upTo`; idempotent. */
export async function anonymize(teamId: number, email: string, upTo: string): Promise<void> {
  const addresses = table.queryAll<Key & { waitlist_id: number; signup_id: number }>({
    ...table.within(partitions.waitlistsOfEmail(teamId, email)),
    ConsistentRead: true,
  });
  for await (const { pk, sk, waitlist_id, signup_id } of addresses) {
    const deletion = { Delete: { Key: { pk, sk } } };
    const done = await change(teamId, waitlist_id, async (waitlist) => {
      const signup = await find(teamId, waitlist_id, signup_id);
      // Erased meanwhile, or signed up again since.
      if (signup?.email !== email || signup.created_at > upTo) return { result: true };
      const { pending_count, writes } = end(teamId, waitlist, [signup], (before) => ({
        ...(before.status === 'removed' ? before : toRemoved(before)),
        email: erasedEmail,
        name: undefined,
        metadata: {},
      }));
      const counted = signup.status === 'removed' ? 0 : 1;
      return {
        result: true,
        fields: { pending_count, signups_count: waitlist.signups_count - counted },
        writes: [...writes, deletion],
      };
    });
    // The waitlist is deleted, and its purge has not reached this row.
    if (!done)
      await table.transact([{ Delete: { Key: keys.waitlistSignup(teamId, waitlist_id, signup_id) } }, deletion]);
  }
}

/** Rows that one transaction deletes. */
const rowsAtOnce = 100;

/** Deletes up to `limit` rows of a deleted waitlist; true when none is left. */
export async function purge(teamId: number, waitlistId: number, limit: number): Promise<boolean> {
  for (let left = limit; left > 0; left -= rowsAtOnce) {
    const signups = await rows<Key & { email: string }>(partitions.waitlistSignups(teamId, waitlistId), rowsAtOnce / 2);
    const gone: Key[] = signups.flatMap(({ email, ...key }) => [key, keys.waitlistAddress(teamId, email, waitlistId)]);
    if (gone.length === 0) gone.push(...(await rows<Key>(partitions.waitlist(teamId, waitlistId), rowsAtOnce)));
    if (gone.length === 0) return true;
    await table.transact([
      ...new Map(gone.map(({ pk, sk }) => [`${pk} ${sk}`, { Delete: { Key: { pk, sk } } }])).values(),
    ]);
  }
  return false;
}

async function rows<T extends table.Item>(pk: string, Limit: number): Promise<T[]> {
  return (await table.query<T>({ ...table.within(pk), ConsistentRead: true, Limit })).items;
}
