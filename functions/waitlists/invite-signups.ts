import * as z from 'zod';
import * as signups from '../../shared/data/waitlists/signups.ts';
import { type FieldErrors, ValidationError } from '../../shared/domain/errors.ts';
import { checkMayInvite } from '../../shared/flows/waitlists/check-may-invite.ts';
import { inviteSignups as invite } from '../../shared/flows/waitlists/invite-signups.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { id, recordId } from '../../shared/http/schemas.ts';
import { waitlistOf, waitlistParams } from './schemas.ts';

const limit = 1_000;

const body = z
  .object({
    // Not a set: an error names the index of its id.
    signup_ids: z.array(recordId).max(limit, `at most ${limit} ids`).optional(),
    count: z.int().min(1).max(limit).optional(),
  })
  .refine(({ signup_ids, count }) => (signup_ids === undefined) !== (count === undefined), {
    message: 'give either signup_ids or count',
    path: ['signup_ids'],
  })
  .meta({ id: 'WaitlistInvitationInput' });

export const inviteSignups = endpoint({
  method: 'POST',
  path: '/waitlists/{waitlist}/invite',
  scope: 'contacts:write',
  summary: 'Invite signups by id, or the next so many by position; only who is pending and not suppressed is invited',
  params: waitlistParams,
  body,
  response: dataOf(z.object({ waitlist_id: id, invited: z.int(), signup_ids: z.array(id) })),

  async handle({ caller: { teamId, plan }, params, body: { signup_ids, count }, operation }) {
    const waitlist = await waitlistOf(teamId, params);
    const ids = signup_ids && [...new Set(signup_ids)];
    const found = await checkSignups(teamId, waitlist.id, signup_ids);
    const waiting = ids ? ids.filter((one) => found.get(one)?.status === 'pending').length : waitlist.pending_count;
    // Once: a repeated request has mailed some of its invitations.
    await operation.memoize('allowed', () => checkMayInvite(teamId, plan, Math.min(waiting, count ?? waiting)));
    const wanted = ids ? { ids } : { count: count! };
    const invited = await invite(teamId, waitlist.id, wanted, operation.id);
    return { data: { waitlist_id: waitlist.id, invited: invited.length, signup_ids: [...invited] } };
  },
});

/** The signups of ids; throws 422 on each that is not a signup of the waitlist. */
async function checkSignups(teamId: number, waitlistId: number, ids: readonly number[] = []) {
  const found = await signups.batch(teamId, waitlistId, ids);
  const errors: FieldErrors = {};
  for (const index of ids.keys()) if (!found[index]) errors[`signup_ids.${index}`] = ['no such signup'];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return new Map(found.map((signup) => [signup!.id, signup!]));
}
