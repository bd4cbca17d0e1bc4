import * as signups from '../../shared/data/waitlists/signups.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { signup, waitlistOf, waitlistParams } from './schemas.ts';

export const listSignups = endpoint({
  method: 'GET',
  path: '/waitlists/{waitlist}/signups',
  scope: 'contacts:read',
  summary: 'List the signups of a waitlist, newest first; `position` counts from 1 among the pending',
  params: waitlistParams,
  query: pageQuery,
  response: pageOf(signup),

  async handle(context) {
    const { teamId } = context.caller;
    const { id, version } = await waitlistOf(teamId, context.params);
    const page = await paginate(context, signups.list(teamId, id), (row) => row);
    return { ...page, data: (await signups.place(teamId, id, version, page.data)).map(signups.view) };
  },
});
