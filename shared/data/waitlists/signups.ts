import { timestamp } from '../../domain/time.ts';
import type { SignupStatus } from '../../domain/waitlists/waitlist.ts';
import { keys, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { idSource } from '../sources.ts';
import * as table from '../table.ts';
import * as queue from './queue.ts';
import { find as findWaitlist, type WaitlistItem } from './waitlists.ts';

/** A signup of a waitlist; rows beside it find it by its address and by its referral code. */
export interface SignupItem {
  pk: string;
  sk: string;
  id: number;
  waitlist_id: number;
  email: string;
  name?: string;
  metadata: Record<string, unknown>;
  status: SignupStatus;
  /** Where it stands in the queue while it is pending; its position is the number of slots that are occupied up to there. */
  slot?: number;
  referral_code: string;
  referrals_count: number;
  /** The signup whose code it came with: it counts once. */
  referred_by?: number;
  created_at: string;
  invited_at?: string;
  /** Somebody set about mailing the invitation. */
  invitation_sent_at?: string;
  joined_at?: string;
  removed_at?: string;
}

/** A signup with its position, which only a pending one has. */
export interface Placed {
  signup: SignupItem;
  position: number | null;
}

/** Reads one signup; undefined when the waitlist has none of this id. */
export function find(teamId: number, waitlistId: number, id: number): Promise<SignupItem | undefined> {
  return table.get<SignupItem>(keys.waitlistSignup(teamId, waitlistId, id));
}

/** Reads many signups, in the order of the ids; undefined for one that the waitlist has not. */
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

const snapshots = 6;

/** Signups with their positions, all of one moment: read again while others change the waitlist. `version` is that of the waitlist before the signups were read. */
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
    const whole = current.every(({ id, slot }) => slot === undefined || places.get(slot)?.signup_id === id);
    if (!waitlist || (whole && waitlist.version === read) || attempt === snapshots)
      return current.map((signup) => ({ signup, position: places.get(signup.slot ?? 0)?.position ?? null }));
    read = waitlist.version;
    const again = await batch(
      teamId,
      waitlistId,
      current.map(({ id }) => id),
    );
    current = current.map((signup, index) => again[index] ?? signup);
  }
}

/** A write that turns one signup into another, while it is where it was read. */
export function rewrite(before: SignupItem, after: SignupItem): table.TransactionWrite {
  const update = table.changes(before, after);
  return {
    Update: {
      Key: { pk: before.pk, sk: before.sk },
      ...update,
      ConditionExpression: `#was = :was AND email = :address AND referrals_count = :referrals AND ${before.slot === undefined ? 'attribute_not_exists(slot)' : 'slot = :at'}`,
      ExpressionAttributeNames: { ...update.ExpressionAttributeNames, '#was': 'status' },
      ExpressionAttributeValues: {
        ...update.ExpressionAttributeValues,
        ':was': before.status,
        ':address': before.email,
        ':referrals': before.referrals_count,
        ...(before.slot !== undefined && { ':at': before.slot }),
      },
    },
  };
}

/** Writes that end some signups' wait and turn them into what `into` makes of them. */
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

/** Notes that an invited person has joined; undefined when the signup is not invited. */
export function join(teamId: number, waitlistId: number, id: number): Promise<SignupItem | undefined> {
  return table.updateIf<SignupItem>({
    Key: keys.waitlistSignup(teamId, waitlistId, id),
    UpdateExpression: 'SET #status = :joined, joined_at = :now',
    ConditionExpression: '#status = :invited',
    ExpressionAttributeNames: { '#status': 'status' },
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
