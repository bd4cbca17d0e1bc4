import * as suppressions from '../../shared/data/contacts/suppressions.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { textEmail } from '../../shared/http/schemas.ts';
import { suppression, suppressionReason } from './schemas.ts';

export const listSuppressions = endpoint({
  method: 'GET',
  path: '/suppressions',
  scope: 'suppressions:read',
  summary: 'List the addresses that are not mailed, newest first',
  query: pageQuery.extend({ reason: suppressionReason.optional(), email: textEmail.optional() }),
  response: pageOf(suppression),

  handle(context) {
    const { caller, query } = context;
    return paginate(context, suppressions.list(caller.teamId, query), suppressions.view);
  },
});
