import { type Membership, memberEmails } from '../../data/contacts/contacts.ts';
import * as lists from '../../data/contacts/lists.ts';
import * as tags from '../../data/contacts/tags.ts';
import * as due from '../../data/due-jobs.ts';
import { forget } from '../../domain/contacts/contact.ts';
import { changeContacts } from './change.ts';

/** Memberships that the request itself cleans up; a job does the rest. */
const inlineMembers = 1_000;

/** Deletes a list or tag and cleans up as many of its memberships as one request can. */
export async function deleteMembership(teamId: number, what: Membership, id: number): Promise<void> {
  const purge = due.dueJob({ kind: 'purge', team_id: teamId, what, id });
  if (what === 'list') await lists.remove(teamId, id, purge);
  else await tags.remove(teamId, id, purge);
  if (await purgeMembers(teamId, what, id, inlineMembers)) await due.finish(purge);
}

/** Takes up to `limit` contacts off a deleted list or tag; true when none is left. */
export async function purgeMembers(teamId: number, what: Membership, id: number, limit: number): Promise<boolean> {
  const field = what === 'list' ? 'list_ids' : 'tag_ids';
  const { emails, all } = await memberEmails(teamId, what, id, limit);
  await changeContacts(teamId, emails, (stored) => stored.map(({ contact }) => contact && forget(contact, field, id)));
  return all;
}
