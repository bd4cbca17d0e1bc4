import * as z from 'zod';
import { eraseContact as erase } from '../../shared/flows/erase-contact.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { contactParams } from './schemas.ts';

export const eraseContact = endpoint({
  method: 'POST',
  path: '/contacts/{contact}/erase',
  scope: 'contacts:write',
  summary: 'Remove a person for good, soft-deleted or not; what was suppressed stays suppressed',
  params: contactParams,
  response: dataOf(
    z.object({
      contacts_deleted: z.int(),
      events_anonymized: z.int(),
      events_exact: z.boolean().describe('Beyond the contract; false: there are more, which are anonymized, too'),
    }),
  ),
  handle: async ({ caller: { teamId }, params, operation, actor }) => ({
    data: await erase(teamId, params.contact, operation, actor),
  }),
});
