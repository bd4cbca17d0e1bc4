import * as z from 'zod';
import { removeSendingDomain } from '../../shared/flows/teams/remove-domain.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { domainOf, domainParams } from './schemas.ts';

export const deleteDomain = endpoint({
  method: 'DELETE',
  path: '/sending-domains/{domain}',
  scope: 'campaigns:write',
  summary: 'Remove a sending domain; nothing is sent from it any more',
  extension: true,
  params: domainParams,
  response: dataOf(z.object({ domain: z.string(), deleted: z.boolean() })),

  async handle({ caller: { teamId }, params, operation, actor }) {
    const domain = await operation.memoize('domain', async () => (await domainOf(teamId, params)).domain);
    await removeSendingDomain(teamId, domain, actor);
    return { data: { domain, deleted: true } };
  },
});
