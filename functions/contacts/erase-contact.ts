import * as z from 'zod';
import * as contacts from '../../shared/data/contacts.ts';
import { NotFound } from '../../shared/domain/errors.ts';
import { eraseContact as erase } from '../../shared/flows/erase-contact.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dataOf } from '../../shared/http/schemas.ts';
import { contactParams } from './schemas.ts';

export const eraseContact = endpoint({
  method: 'POST',
  path: '/contacts/{contact}/erase',
  scope: 'contacts:write',
  summary: 'Remove a person for good, soft-deleted or not; what was suppressed stays suppressed',
  params: contactParams,
  response: dataOf(z.object({ contacts_deleted: z.int(), events_anonymized: z.int() })),

  async handle({ caller: { teamId }, params, operation }) {
    const person = await operation.once('contact', async () => {
      const found = await contacts.findStored(teamId, params.contact);
      if (!found) throw new NotFound('contact');
      return { id: found.id, email: found.email };
    });
    return { data: await erase(teamId, person) };
  },
});
