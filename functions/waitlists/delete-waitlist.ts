import { deleteWaitlist as remove } from '../../shared/flows/waitlists/delete.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { deletion } from '../../shared/http/schemas.ts';
import { waitlistOf, waitlistParams } from './find-waitlist.ts';

export const deleteWaitlist = endpoint({
  method: 'DELETE',
  path: '/waitlists/{waitlist}',
  scope: 'contacts:write',
  summary: 'Delete a waitlist with its signups and its hosted page',
  extension: true,
  params: waitlistParams,
  response: deletion,

  async handle({ caller: { teamId }, params, operation }) {
    const id = await operation.memoize('waitlist', async () => (await waitlistOf(teamId, params)).id);
    await remove(teamId, id);
    return { data: { id, deleted: true } };
  },
});
