import { takeIds } from '../../shared/data/counters.ts';
import * as waitlists from '../../shared/data/waitlists/waitlists.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { waitlist, waitlistInput } from './schemas.ts';

export const createWaitlist = endpoint({
  method: 'POST',
  path: '/waitlists',
  scope: 'contacts:write',
  summary: 'Create a waitlist with its hosted page; without a `slug` its address is made from the name',
  extension: true,
  body: waitlistInput,
  response: dataOf(waitlist),

  async handle({ caller: { teamId }, body, operation }) {
    const id = await operation.memoize('waitlist_id', () => takeIds(teamId, 'waitlist'));
    return { data: waitlists.view(await waitlists.create(teamId, id, body)) };
  },
});
