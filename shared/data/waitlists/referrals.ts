import { placesPerReferral } from '../../domain/waitlists/waitlist.ts';
import { keys } from '../keys.ts';
import type * as table from '../table.ts';
import * as queue from './queue.ts';
import { find, rewrite, type SignupItem } from './signups.ts';
import { change } from './waitlists.ts';

/** A signup as it was read, and as it is to be. */
interface Changed {
  before: SignupItem;
  after: SignupItem;
}

/**
 * Writes that count a referral and move the referrer up while it is pending. A `referred` signup that is in the queue
 * is changed with them: it may be one of those that the referrer passes.
 */
export async function credit(
  teamId: number,
  waitlistId: number,
  referrer: SignupItem,
  referred?: Changed,
): Promise<table.TransactionWrite[]> {
  const counted = { ...referrer, referrals_count: referrer.referrals_count + 1 };
  const mover = referrer.slot === undefined ? undefined : { slot: referrer.slot, signup_id: referrer.id };
  const { moved, writes } = mover
    ? await queue.moveUp(teamId, waitlistId, mover, placesPerReferral)
    : { moved: [], writes: [] };
  const slots = new Map(moved.map(({ place }) => [place.signup_id, place.slot]));
  const changed = [{ before: referrer, after: counted }, ...(referred ? [referred] : [])];
  const others = moved.filter(({ place }) => !changed.some(({ before }) => before.id === place.signup_id));
  return [
    ...changed.map(({ before, after }) => rewrite(before, { ...after, slot: slots.get(before.id) ?? after.slot })),
    ...others.map(({ from, place }) => moveSignup(teamId, waitlistId, from, place)),
    ...writes,
  ];
}

/** The write that stores a signup's new slot. */
const moveSignup = (teamId: number, waitlistId: number, from: number, to: queue.Place): table.TransactionWrite => ({
  Update: {
    Key: keys.waitlistSignup(teamId, waitlistId, to.signup_id),
    UpdateExpression: 'SET slot = :to',
    ConditionExpression: 'slot = :from',
    ExpressionAttributeValues: { ':to': to.slot, ':from': from },
  },
});

/** Whether a referral counts once the signup's address is confirmed. */
export const isUnconfirmed = ({ status, unconfirmed_referrer, referred_by }: SignupItem): boolean =>
  unconfirmed_referrer !== undefined && referred_by === undefined && status !== 'removed';

/** Counts the referral of a signup whose address is confirmed, once; one that was removed counts when it is back. */
export async function confirm(teamId: number, waitlistId: number, id: number): Promise<void> {
  await change(teamId, waitlistId, async () => {
    const before = await find(teamId, waitlistId, id);
    if (!before || !isUnconfirmed(before)) return { result: undefined };
    const referrer = await find(teamId, waitlistId, before.unconfirmed_referrer!);
    const after = { ...before, referred_by: before.unconfirmed_referrer, unconfirmed_referrer: undefined };
    const writes = referrer ? await credit(teamId, waitlistId, referrer, { before, after }) : [rewrite(before, after)];
    return { result: undefined, fields: {}, writes };
  });
}
