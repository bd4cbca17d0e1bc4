import { epochSeconds, timestamp } from '../../domain/time.ts';
import * as suppressions from '../contacts/suppressions.ts';
import * as due from '../due-jobs.ts';
import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';
import * as queue from './queue.ts';
import { batch, end, type SignupItem } from './signups.ts';
import { change } from './waitlists.ts';

/** The signups to invite: by id, or the next `count` by position. */
export type Wanted = { ids: readonly number[] } | { count: number };

/** The result of one step of an invitation. */
export interface InvitationStep {
  /** Ids that the operation has invited so far. */
  invited: readonly number[];
  /** Where the next step begins; undefined when the invitation is complete. */
  next: number | undefined;
  /** Events of this step, to publish. */
  outbox: due.DueJob[];
}

/** The signups that an operation has invited. */
interface InvitationItem extends Key {
  signup_ids: number[];
  ttl: number;
}

/** Signups that one transaction invites: each takes up to three rows (signup, place, bucket). */
const invitedAtOnce = 30;
/** Places that are read together. */
const maxPlacesPerRead = 400;
/** Longer than an Idempotency-Key is honoured. */
const retentionSeconds = 2 * 24 * 3600;

/**
 * Runs one step of an invitation: invites wanted signups that are pending and may be mailed, in one transaction with
 * the list of all signups that the operation has invited. So a repeated operation invites no more than was asked.
 * Undefined when the waitlist does not exist.
 */
export function invite(
  teamId: number,
  waitlistId: number,
  operationId: string,
  wanted: Wanted,
  from: number,
): Promise<InvitationStep | undefined> {
  const record = keys.waitlistInvitation(teamId, waitlistId, operationId);
  return change<InvitationStep, InvitationItem | undefined>(
    teamId,
    waitlistId,
    async (waitlist, before) => {
      const invited = before?.signup_ids ?? [];
      const { chosen, next } =
        'ids' in wanted
          ? await chooseByIds(teamId, waitlistId, wanted.ids, from)
          : await chooseNext(teamId, waitlistId, wanted.count - invited.length);
      if (chosen.length === 0) return { result: { invited, next, outbox: [] } };
      const ids = chosen.map(({ id }) => id);
      const signup_ids = [...invited, ...ids];
      const invited_at = timestamp();
      const { pending_count, writes } = end(teamId, waitlist, chosen, (signup) => ({
        ...signup,
        status: 'invited',
        invited_at,
      }));
      const event = due.outboxEvent(
        teamId,
        chosen.map(({ id, slot }) => ({
          id: `invitation-${id}-${slot}`,
          type: 'waitlist.invited',
          waitlist_id: waitlistId,
          signup_id: id,
        })),
      );
      return {
        result: { invited: signup_ids, next, outbox: [event] },
        fields: { pending_count },
        writes: [
          ...writes,
          {
            Put: {
              Item: { ...record, signup_ids, ttl: epochSeconds() + retentionSeconds },
              // The waitlist's version does not cover this row.
              ConditionExpression: before ? 'size(signup_ids) = :before' : 'attribute_not_exists(pk)',
              ExpressionAttributeValues: before && { ':before': invited.length },
            },
          },
          { Put: { Item: event } },
        ],
      };
    },
    () => table.get<InvitationItem>(record),
  );
}

/** The signups that are pending and not suppressed. */
async function mailable(teamId: number, signups: readonly (SignupItem | undefined)[]): Promise<SignupItem[]> {
  const pending = signups.flatMap((signup) => (signup?.status === 'pending' ? [signup] : []));
  const emails = pending.map(({ email }) => email);
  const suppressed = await suppressions.batch(teamId, emails);
  return pending.filter(({ email }) => !suppressed.has(email));
}

interface Choice {
  chosen: SignupItem[];
  next: number | undefined;
}

async function chooseByIds(teamId: number, waitlistId: number, ids: readonly number[], from: number): Promise<Choice> {
  const to = from + invitedAtOnce;
  const signups = await batch(teamId, waitlistId, ids.slice(from, to));
  return { chosen: await mailable(teamId, signups), next: to < ids.length ? to : undefined };
}

async function chooseNext(teamId: number, waitlistId: number, count: number): Promise<Choice> {
  const limit = Math.min(count, invitedAtOnce);
  const chosen: SignupItem[] = [];
  // Suppressed signups keep their places and collect at the front: each read past them is larger.
  for (let [after, size] = [0, limit]; chosen.length < limit; size = Math.min(size * 4, maxPlacesPerRead)) {
    const places = await queue.occupied(teamId, waitlistId, after, size);
    const ids = places.map(({ signup_id }) => signup_id);
    const signups = await batch(teamId, waitlistId, ids);
    chosen.push(...(await mailable(teamId, signups)).slice(0, limit - chosen.length));
    if (places.length < size) break;
    after = places.at(-1)!.slot;
  }
  return { chosen, next: chosen.length === limit && limit < count ? 0 : undefined };
}

/** The write that claims the sending of an invitation: fails when it is claimed or the signup is no longer invited. */
export const claim = (teamId: number, { waitlist_id, id, email }: SignupItem): table.TransactionWrite => ({
  Update: {
    Key: keys.waitlistSignup(teamId, waitlist_id, id),
    UpdateExpression: 'SET invitation_sent_at = :now',
    ConditionExpression: '#status = :invited AND email = :email AND attribute_not_exists(invitation_sent_at)',
    ExpressionAttributeValues: { ':now': timestamp(), ':invited': 'invited', ':email': email },
  },
});

/** Releases a claim whose message surely was not sent. */
export async function release(teamId: number, { waitlist_id, id }: SignupItem): Promise<void> {
  await table.writeIf({
    Key: keys.waitlistSignup(teamId, waitlist_id, id),
    UpdateExpression: 'REMOVE invitation_sent_at',
    ConditionExpression: 'attribute_exists(pk)',
  });
}
