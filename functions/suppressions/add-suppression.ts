import * as z from 'zod';
import * as suppressions from '../../shared/data/contacts/suppressions.ts';
import { suppress } from '../../shared/flows/contacts/suppress.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { email, metadata } from '../../shared/http/schemas.ts';
import { suppression } from './schemas.ts';

export const addSuppression = endpoint({
  method: 'POST',
  path: '/suppressions',
  scope: 'suppressions:write',
  summary: 'Stop mailing an address; a reason that already stands is not weakened',
  body: z
    .object({
      email,
      reason: z.enum(['hard_bounce', 'spam_report', 'unsubscribe', 'manual']),
      metadata: metadata.optional(),
    })
    .meta({ id: 'SuppressionInput' }),
  response: dataOf(suppression),
  handle: async ({ caller, body }) => ({
    data: suppressions.view(await suppress(caller.teamId, { ...body, source: 'api' })),
  }),
});
