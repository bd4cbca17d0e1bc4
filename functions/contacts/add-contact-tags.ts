import * as z from 'zod';
import * as contacts from '../../shared/data/contacts/contacts.ts';
import { addTags, checked } from '../../shared/domain/contacts/contact.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { changeContact } from '../../shared/flows/contacts/change.ts';
import { findReferences } from '../../shared/flows/contacts/find-references.ts';
import { contact } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { contactOf, contactParams, membershipIds } from './schemas.ts';

const idList = { type: 'array', maxItems: 100, items: { type: 'integer', format: 'int64', minimum: 1 } };

const body = z
  .preprocess((given) => (Array.isArray(given) ? { tag_ids: given } : given), z.object({ tag_ids: membershipIds }))
  .meta({ oneOf: [{ type: 'object', required: ['tag_ids'], properties: { tag_ids: idList } }, idList] });

export const addContactTags = endpoint({
  method: 'POST',
  path: '/contacts/{contact}/tags',
  scope: 'contacts:write',
  summary: 'Tag a contact; the body may also be the bare array of tag ids',
  params: contactParams,
  body,
  response: dataOf(contact),

  async handle({ caller: { teamId }, params, body: { tag_ids } }) {
    const { email } = await contactOf(teamId, params);
    await findReferences(teamId, { tags: [{ path: 'tag_ids', ids: tag_ids }] });
    const changed = await changeContact(teamId, email, (current) => checked(addTags(current, tag_ids, timestamp())));
    return { data: contacts.view(orNotFound(changed, 'contact')) };
  },
});
