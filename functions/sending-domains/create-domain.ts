import { addSendingDomain } from '../../shared/flows/teams/sending-domains.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { sendingDomain, sendingDomainInput } from './schemas.ts';

export const createDomain = endpoint({
  method: 'POST',
  path: '/sending-domains',
  scope: 'campaigns:write',
  summary:
    'Add a domain to send from; the answer has the DNS records to publish. A domain belongs to the team that shows ' +
    'by a TXT record that it is its own; without one the claim ends after 7 days. At most 50 a team',
  extension: true,
  body: sendingDomainInput,
  response: dataOf(sendingDomain),
  handle: async ({ caller, actor, body: { domain, mail_from_subdomain } }) => ({
    data: await addSendingDomain(caller.teamId, domain, actor, mail_from_subdomain),
  }),
});
