import { serve } from '../../shared/http/serve.ts';
import { attachContacts } from './attach-contacts.ts';
import { createList } from './create-list.ts';
import { deleteList } from './delete-list.ts';
import { detachContact } from './detach-contact.ts';
import { getList } from './get-list.ts';
import { listLists } from './list-lists.ts';
import { listMembers } from './list-members.ts';
import { updateList } from './update-list.ts';

export const endpoints = {
  listLists,
  createList,
  getList,
  updateList,
  deleteList,
  listListContacts: listMembers,
  attachListContacts: attachContacts,
  detachListContact: detachContact,
};
export const handler = serve(endpoints);
