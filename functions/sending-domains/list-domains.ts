import { resolved } from '../../shared/data/paging.ts';
import * as domains from '../../shared/data/teams/sending-domains.ts';
import { concurrently } from '../../shared/domain/concurrently.ts';
import { showSendingDomain } from '../../shared/flows/teams/sending-domains.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { sendingDomain } from './schemas.ts';

const concurrency = 8;

export const listDomains = endpoint({
  method: 'GET',
  path: '/sending-domains',
  scope: 'campaigns:read',
  summary: 'List the domains that the team sends from, by name, with their DNS records',
  extension: true,
  query: pageQuery,
  response: pageOf(sendingDomain),

  handle(context) {
    const { teamId } = context.caller;
    const shown = resolved(domains.list(teamId), (items) =>
      concurrently(items, concurrency, (item) => showSendingDomain(teamId, item)),
    );
    return paginate(context, shown, (domain) => domain);
  },
});
