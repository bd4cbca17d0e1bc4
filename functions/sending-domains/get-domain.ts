import { showSendingDomain } from '../../shared/flows/teams/sending-domains.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { domainOf, domainParams, sendingDomain } from './schemas.ts';

export const getDomain = endpoint({
  method: 'GET',
  path: '/sending-domains/{domain}',
  scope: 'campaigns:read',
  summary: 'Fetch a sending domain with its DNS records; the status is what SES says now',
  extension: true,
  params: domainParams,
  response: dataOf(sendingDomain),
  handle: async ({ caller: { teamId }, params }) => ({
    data: await showSendingDomain(teamId, await domainOf(teamId, params)),
  }),
});
