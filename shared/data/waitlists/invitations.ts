import { epochSeconds, timestamp } from '../../domain/time.ts';
import * as suppressions from '../contacts/suppressions.ts';
import * as due from '../due-jobs.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';
import * as queue from './queue.ts';
import { batch, end, type SignupItem } from './signups.ts';
import { change } from './waitlists.ts';

/** Whom to invite: signups by their ids, or the next so many by position. */
export type Wanted = { ids: readonly number[] } | { count: number };

/** How far an invitation of several is: what it has invited, where to go on, and the notices of this step, to be published. */
export interface InvitationStep {
  invited: readonly number[];
  next: number | undefined;
  outbox: due.DueJob[];
}

/** Whom an operation has invited. */
interface InvitationItem {
  pk: string;
  sk: string;
  signup_ids: number[];
  ttl: number;
}

/** Signups that one transaction invites: each is a signup, its place, and at worst a bucket of its own. */
const invitedAtOnce = 30;
/** Places that are looked at together. */
const mostAtOnce = 400;
/** Longer than an Idempotency-Key is honoured. */
const keptSeconds = 2 * 24 * 3600;

/**
 * Invites some of the wanted signups that are pending and may be mailed, from where the last step of this operation left off. What an operation
 * has invited is written with it, so that however often it runs, nobody more is invited than was asked. Undefined when there is no such waitlist.
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
          ? await named(teamId, waitlistId, wanted.ids, from)
          : await nextInLine(teamId, waitlistId, wanted.count - invited.length);
      if (chosen.length === 0) return { result: { invited, next, outbox: [] } };
      const ids = chosen.map(({ id }) => id);
      const signup_ids = [...invited, ...ids];
      const invited_at = timestamp();
      const { pending_count, writes } = end(teamId, waitlist, chosen, (signup) => ({
        ...signup,
        status: 'invited',
        invited_at,
      }));
      const notices = due.outboxEvent(
        teamId,
        chosen.map(({ id, slot }) => ({
          id: `invitation-${id}-${slot}`,
          type: 'waitlist.invited',
          waitlist_id: waitlistId,
          signup_id: id,
        })),
      );
      return {
        result: { invited: signup_ids, next, outbox: [notices] },
        fields: { pending_count },
        writes: [
          ...writes,
          {
            Put: {
              Item: { ...record, signup_ids, ttl: epochSeconds() + keptSeconds },
              // As it was read, beside the waitlist.
              ConditionExpression: before ? 'size(signup_ids) = :before' : 'attribute_not_exists(pk)',
              ExpressionAttributeValues: before && { ':before': invited.length },
            },
          },
          { Put: { Item: notices } },
        ],
      };
    },
    () => table.get<InvitationItem>(record),
  );
}

async function mailable(teamId: number, signups: readonly (SignupItem | undefined)[]): Promise<SignupItem[]> {
  const waiting = signups.flatMap((signup) => (signup?.status === 'pending' ? [signup] : []));
  const suppressed = await suppressions.batch(
    teamId,
    waiting.map(({ email }) => email),
  );
  return waiting.filter(({ email }) => !suppressed.has(email));
}

interface Choice {
  chosen: SignupItem[];
  next: number | undefined;
}

async function named(teamId: number, waitlistId: number, ids: readonly number[], from: number): Promise<Choice> {
  const to = from + invitedAtOnce;
  const signups = await batch(teamId, waitlistId, ids.slice(from, to));
  return { chosen: await mailable(teamId, signups), next: to < ids.length ? to : undefined };
}

async function nextInLine(teamId: number, waitlistId: number, count: number): Promise<Choice> {
  const limit = Math.min(count, invitedAtOnce);
  const chosen: SignupItem[] = [];
  // Who is suppressed keeps the place, at the front in the end: in ever larger steps past them.
  for (let [after, size] = [0, limit]; chosen.length < limit; size = Math.min(size * 4, mostAtOnce)) {
    const places = await queue.inLine(teamId, waitlistId, after, size);
    const signups = await batch(
      teamId,
      waitlistId,
      places.map(({ signup_id }) => signup_id),
    );
    chosen.push(...(await mailable(teamId, signups)).slice(0, limit - chosen.length));
    if (places.length < size) break;
    after = places.at(-1)!.slot;
  }
  return { chosen, next: chosen.length === limit && limit < count ? 0 : undefined };
}

/** Takes the mailing of an invitation upon itself; false when somebody else has, or the signup is not invited any more. */
export async function claim(teamId: number, { waitlist_id, id, email }: SignupItem): Promise<boolean> {
  const claimed = await table.updateIf({
    Key: keys.waitlistSignup(teamId, waitlist_id, id),
    UpdateExpression: 'SET invitation_sent_at = :now',
    ConditionExpression: '#status = :invited AND email = :email AND attribute_not_exists(invitation_sent_at)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':now': timestamp(), ':invited': 'invited', ':email': email },
    ReturnValues: 'NONE',
  });
  return claimed !== undefined;
}

/** Gives a claim back whose message surely was not sent. */
export async function release(teamId: number, { waitlist_id, id }: SignupItem): Promise<void> {
  await table.updateIf({
    Key: keys.waitlistSignup(teamId, waitlist_id, id),
    UpdateExpression: 'REMOVE invitation_sent_at',
    ConditionExpression: 'attribute_exists(pk)',
    ReturnValues: 'NONE',
  });
}
