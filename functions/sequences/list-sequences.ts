import * as sequences from '../../shared/data/sequences/sequences.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { sequence } from './schemas.ts';

export const listSequences = endpoint({
  method: 'GET',
  path: '/sequences',
  scope: 'campaigns:read',
  summary: 'List the sequences, newest first',
  query: pageQuery,
  response: pageOf(sequence),
  handle: (context) => paginate(context, sequences.list(context.caller.teamId), sequences.view),
});
