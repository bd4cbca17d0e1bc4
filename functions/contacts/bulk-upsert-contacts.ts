import * as z from 'zod';
import { upsertContacts } from '../../shared/flows/contacts/upsert.ts';
import { contactStatus } from '../../shared/http/audience-schemas.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { address, id } from '../../shared/http/schemas.ts';
import { contactUpsert, membershipIds } from './schemas.ts';

const limit = 1_000;

export const bulkUpsertContacts = endpoint({
  method: 'POST',
  path: '/contacts/bulk',
  scope: 'contacts:write',
  summary: 'Create or update up to 1,000 contacts; one bad row refuses them all',
  body: z
    .object({
      contacts: z.array(contactUpsert).max(limit, `at most ${limit} contacts`),
      tag_ids: membershipIds.optional(),
      list_ids: membershipIds.optional(),
    })
    .meta({ id: 'ContactBulkUpsert' }),
  response: z.object({
    data: z.array(z.object({ email: address, id, created: z.boolean(), status: contactStatus })),
    created: z.int(),
    updated: z.int(),
  }),

  async handle({ caller, body, operation }) {
    const rows = body.contacts.map((input, index) => ({ path: `contacts.${index}`, input }));
    const upserted = await upsertContacts(caller.teamId, operation, rows, body);
    const data = upserted.map(({ contact: { email, id, status }, created }) => ({ email, id, created, status }));
    const created = data.filter((row) => row.created).length;
    return { data, created, updated: data.length - created };
  },
});
