import * as z from 'zod';
import { upsertContacts } from '../../shared/flows/contacts/upsert.ts';
import { contactStatus } from '../../shared/http/audience-schemas.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { address, id } from '../../shared/http/schemas.ts';
import { contactUpsert, membershipIds } from './schemas.ts';

const limit = 1_000;
/** Tags and lists of all rows together: each is a row of its own, written within the request. */
const maxMemberships = 20_000;

const countOf = ({ tag_ids = [], list_ids = [] }: { tag_ids?: number[]; list_ids?: number[] }) =>
  tag_ids.length + list_ids.length;

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
    .refine(
      ({ contacts, ...all }) => contacts.reduce((sum, row) => sum + countOf(row) + countOf(all), 0) <= maxMemberships,
      { path: ['contacts'], message: 'at most 20,000 tags and lists over all rows: send fewer rows at once' },
    )
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
