import * as z from 'zod';
import * as signups from '../../shared/data/waitlists/signups.ts';
import { remove } from '../../shared/data/waitlists/writes.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { dataOf, endpoint, idParams } from '../../shared/http/endpoint.ts';
import { id } from '../../shared/http/schemas.ts';
import { waitlistOf } from './schemas.ts';

export const removeSignup = endpoint({
  method: 'DELETE',
  path: '/waitlists/{waitlist}/signups/{signup}',
  scope: 'contacts:write',
  summary: 'Take a signup off a waitlist; `removed` is false when it had been',
  extension: true,
  params: idParams('waitlist', 'signup'),
  response: dataOf(z.object({ waitlist_id: id, signup_id: id, removed: z.boolean() })),

  async handle({ caller: { teamId }, params, operation }) {
    const waitlist = await waitlistOf(teamId, params);
    const signup = orNotFound(await signups.find(teamId, waitlist.id, params.signup), 'signup');
    const removed = await operation.memoize('removed', () => signup.status !== 'removed');
    if (removed) await remove(teamId, waitlist.id, signup.id);
    return { data: { waitlist_id: waitlist.id, signup_id: signup.id, removed } };
  },
});
