import * as contacts from '../../shared/data/contacts/contacts.ts';
import * as lists from '../../shared/data/contacts/lists.ts';
import * as tags from '../../shared/data/contacts/tags.ts';

/** What `include` may embed. */
export const relations = ['tags', 'lists'] as const;

/** A relation that a listing of contacts may embed. */
export type Relation = (typeof relations)[number];

/** Contacts as the API shows them with their live tags and lists embedded: one read per batch, not per contact. */
export async function withRelations(
  teamId: number,
  items: readonly contacts.ContactItem[],
  include: readonly Relation[] = [],
) {
  const [tagOf, listOf] = await Promise.all([
    include.includes('tags') ? tagViews(teamId, items) : undefined,
    include.includes('lists') ? listViews(teamId, items) : undefined,
  ]);
  return items.map((item) => ({
    ...contacts.view(item),
    ...(tagOf && { tags: item.tag_ids.flatMap((id) => tagOf.get(id) ?? []) }),
    ...(listOf && { lists: item.list_ids.flatMap((id) => listOf.get(id) ?? []) }),
  }));
}

async function tagViews(teamId: number, items: readonly contacts.ContactItem[]) {
  const found = await tags.batch(teamId, distinct(items.map((item) => item.tag_ids)));
  return new Map(found.flatMap((tag) => (tag ? [[tag.id, tags.view(tag)] as const] : [])));
}

async function listViews(teamId: number, items: readonly contacts.ContactItem[]) {
  const found = await lists.batch(teamId, distinct(items.map((item) => item.list_ids)));
  return new Map(found.flatMap((list) => (list ? [[list.id, lists.view(list)] as const] : [])));
}

const distinct = (ids: number[][]): number[] => [...new Set(ids.flat())];
