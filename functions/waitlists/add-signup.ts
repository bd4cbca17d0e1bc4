import * as signups from '../../shared/data/waitlists/signups.ts';
import { signUp } from '../../shared/flows/waitlists/sign-up.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { signup, signupInput, waitlistParams } from './schemas.ts';

export const addSignup = endpoint({
  method: 'POST',
  path: '/waitlists/{waitlist}/signups',
  scope: 'contacts:write',
  summary: 'Sign an address up; a repeated one gets the same signup. A referral moves its referrer up 3 places',
  params: waitlistParams,
  body: signupInput,
  response: dataOf(signup),
  handle: async ({ caller, params, body }) => ({
    data: signups.view(await signUp(caller.teamId, params.waitlist, body)),
  }),
});
