import * as waitlists from '../../shared/data/waitlists/waitlists.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { waitlistOf, waitlistParams } from './find-waitlist.ts';
import { waitlist } from './schemas.ts';

export const getWaitlist = endpoint({
  method: 'GET',
  path: '/waitlists/{waitlist}',
  scope: 'contacts:read',
  summary: 'Fetch one waitlist',
  params: waitlistParams,
  response: dataOf(waitlist),

  async handle({ caller, params }) {
    return { data: waitlists.view(await waitlistOf(caller.teamId, params)) };
  },
});
