import { serve } from '../../shared/http/serve.ts';
import { addContactTags } from './add-contact-tags.ts';
import { bulkUpsertContacts } from './bulk-upsert-contacts.ts';
import { deleteContact } from './delete-contact.ts';
import { eraseContact } from './erase-contact.ts';
import { getContact } from './get-contact.ts';
import { listContacts } from './list-contacts.ts';
import { removeContactTag } from './remove-contact-tag.ts';
import { updateContact } from './update-contact.ts';
import { upsertContact } from './upsert-contact.ts';

export const endpoints = {
  listContacts,
  upsertContact,
  bulkUpsertContacts,
  getContact,
  updateContact,
  deleteContact,
  addContactTags,
  removeContactTag,
  eraseContact,
};
export const handler = serve(endpoints);
