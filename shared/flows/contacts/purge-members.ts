import { memberEmails } from '../../data/contacts/contacts.ts';
import * as lists from '../../data/contacts/lists.ts';
import type { Membership } from '../../data/contacts/member-counts.ts';
import * as tags from '../../data/contacts/tags.ts';
import * as due from '../../data/due-jobs.ts';
import { forget } from '../../domain/contacts/contact.ts';
import { changeContacts } from './change.ts';

/** Memberships that the request itself cleans up; a job does the rest. */
const inlineMembers = 1_000;

/** Deletes a list or tag and cleans up as many of its memberships as one request can; the job completes all of it. */
export async function deleteMembership(teamId: number, what: Membership, id: number): Promise<void> {
  if (what === 'list') lists.expectRemovable(id);
  const purge = await due.schedule({ kind: 'purge', team_id: teamId, what, id });
  await removeRecord(teamId, what, id);
  if (await purgeMembers(teamId, what, id, inlineMembers)) await due.finish(purge);
}

/** Deletes a list or tag, whose memberships stay for now; idempotent. */
export const removeRecord = (teamId: number, what: Membership, id: number): Promise<void> =>
  what === 'list' ? lists.remove(teamId, id) : tags.remove(teamId, id);

/** Takes up to `limit` contacts off a deleted list or tag; true when none is left. */
export async function purgeMembers(teamId: number, what: Membership, id: number, limit: number): Promise<boolean> {
  const field = what === 'list' ? 'list_ids' : 'tag_ids';
  const { emails, all } = await memberEmails(teamId, what, id, limit);
  await changeContacts(teamId, emails, (stored) => stored.map(({ contact }) => contact && forget(contact, field, id)));
  return all;
}
