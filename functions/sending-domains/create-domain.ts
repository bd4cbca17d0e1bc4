import { addSendingDomain } from '../../shared/flows/teams/sending-domains.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { sendingDomain, sendingDomainInput } from './schemas.ts';

export const createDomain = endpoint({
  method: 'POST',
  path: '/sending-domains',
  scope: 'campaigns:write',
  summary: 'Add a domain to send from; the answer has the DNS records to publish. A domain belongs to one team',
  extension: true,
  body: sendingDomainInput,
  response: dataOf(sendingDomain),
  handle: async ({ caller, body }) => ({ data: await addSendingDomain(caller.teamId, body.domain) }),
});
