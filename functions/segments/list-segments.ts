import * as segments from '../../shared/data/contacts/segments.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { segment } from './schemas.ts';

export const listSegments = endpoint({
  method: 'GET',
  path: '/segments',
  scope: 'contacts:read',
  summary: 'List the saved segments, newest first',
  query: pageQuery,
  response: pageOf(segment),
  handle: (context) => paginate(context, segments.list(context.caller.teamId), segments.view),
});
