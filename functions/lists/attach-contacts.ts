import * as z from 'zod';
import * as contacts from '../../shared/data/contacts/contacts.ts';
import { contactFault, joinList } from '../../shared/domain/contacts/contact.ts';
import { askingLists } from '../../shared/domain/contacts/opt-in.ts';
import { ValidationError } from '../../shared/domain/errors.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { changeContacts } from '../../shared/flows/contacts/change.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { id } from '../../shared/http/schemas.ts';
import { listOf, listParams } from './schemas.ts';

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
    const ids = [...new Set(body.contact_ids)];
    const found = await contacts.emailsOf(
      teamId,
      ids.filter((id) => id > 0),
    );
    const emails = found.flatMap((email) => email ?? []);
    const changed = await changeContacts(teamId, emails, (stored) =>
      stored.map(({ contact }) => {
        if (!contact || contact.deleted_at) return contact;
        const joined = joinList(contact, list.id, askingLists([list]), timestamp());
        const fault = contactFault(joined);
        if (fault) throw new ValidationError({ contact_ids: [`${contact.id}: ${fault.message}`] });
        return joined;
      }),
    );
    const attached = changed.filter((contact) => contact?.list_ids.includes(list.id)).length;
    return { data: { list_id: list.id, attached, skipped: ids.length - attached } };
  },
});
