import * as waitlists from '../../shared/data/waitlists/waitlists.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { waitlist } from './schemas.ts';

export const listWaitlists = endpoint({
  method: 'GET',
  path: '/waitlists',
  scope: 'contacts:read',
  summary: 'List the waitlists, newest first',
  query: pageQuery,
  response: pageOf(waitlist),
  handle: (context) => paginate(context, waitlists.list(context.caller.teamId), waitlists.view),
});
