import * as z from 'zod';
import { attachContacts as attach } from '../../shared/flows/contacts/attach.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf, id } from '../../shared/http/schemas.ts';
import { listOf, listParams } from './find-list.ts';

const limit = 1_000;

export const attachContacts = endpoint({
  method: 'POST',
  path: '/lists/{list}/contacts',
  scope: 'contacts:write',
  summary: "Put up to 1,000 contacts on a list; ids that are nobody's are skipped and counted",
  params: listParams,
  body: z.object({ contact_ids: z.array(z.int()).max(limit, `at most ${limit} ids`) }),
  response: dataOf(z.object({ list_id: id, attached: z.int(), skipped: z.int() })),

  async handle({ caller: { teamId }, params, body }) {
    const list = await listOf(teamId, params);
    return { data: { list_id: list.id, ...(await attach(teamId, list, body.contact_ids)) } };
  },
});
