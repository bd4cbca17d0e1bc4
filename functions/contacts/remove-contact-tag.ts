import * as contacts from '../../shared/data/contacts/contacts.ts';
import * as tags from '../../shared/data/contacts/tags.ts';
import { leave } from '../../shared/domain/contacts/contact.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { changeContact } from '../../shared/flows/contacts/change.ts';
import { contact } from '../../shared/http/audience-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { textId } from '../../shared/http/schemas.ts';
import { contactOf, contactParams } from './schemas.ts';

export const removeContactTag = endpoint({
  method: 'DELETE',
  path: '/contacts/{contact}/tags/{tag}',
  scope: 'contacts:write',
  summary: 'Take a tag off a contact; one it does not have changes nothing',
  params: contactParams.extend({ tag: textId }),
  response: dataOf(contact),

  async handle({ caller: { teamId }, params }) {
    const { email } = await contactOf(teamId, params);
    orNotFound(await tags.uncounted.find(teamId, params.tag), 'tag');
    const changed = await changeContact(teamId, email, (current) => leave(current, 'tag_ids', params.tag, timestamp()));
    return { data: contacts.view(orNotFound(changed, 'contact')) };
  },
});
