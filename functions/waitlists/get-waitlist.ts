import * as waitlists from '../../shared/data/waitlists/waitlists.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { waitlist, waitlistOf, waitlistParams } from './schemas.ts';

export const getWaitlist = endpoint({
  method: 'GET',
  path: '/waitlists/{waitlist}',
  scope: 'contacts:read',
  summary: 'Fetch one waitlist',
  params: waitlistParams,
  response: dataOf(waitlist),
  handle: async ({ caller, params }) => ({ data: waitlists.view(await waitlistOf(caller.teamId, params)) }),
});
