import * as waitlists from '../../shared/data/waitlists/waitlists.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { waitlist, waitlistParams, waitlistPatch } from './schemas.ts';

export const updateWaitlist = endpoint({
  method: 'PATCH',
  path: '/waitlists/{waitlist}',
  scope: 'contacts:write',
  summary: 'Change a waitlist; a closed one takes no new signups',
  extension: true,
  params: waitlistParams,
  body: waitlistPatch,
  response: dataOf(waitlist),

  async handle({ caller, params, body }) {
    const updated = await waitlists.update(caller.teamId, params.waitlist, body);
    return { data: waitlists.view(orNotFound(updated, 'waitlist')) };
  },
});
