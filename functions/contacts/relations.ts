import * as contacts from '../../shared/data/contacts/contacts.ts';
import * as lists from '../../shared/data/contacts/lists.ts';
import * as tags from '../../shared/data/contacts/tags.ts';
import type { Numbered } from '../../shared/data/sources.ts';

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
    include.includes('tags') ? viewsOf(teamId, tags, (item) => item.tag_ids, items) : undefined,
    include.includes('lists') ? viewsOf(teamId, lists, (item) => item.list_ids, items) : undefined,
  ]);
  return items.map((item) => ({
    ...contacts.view(item),
    ...(tagOf && { tags: item.tag_ids.flatMap((id) => tagOf.get(id) ?? []) }),
    ...(listOf && { lists: item.list_ids.flatMap((id) => listOf.get(id) ?? []) }),
  }));
}

async function viewsOf<T extends { id: number }, V>(
  teamId: number,
  { batch, view }: { batch: Numbered<T>['batch']; view: (record: T) => V },
  idsOf: (item: contacts.ContactItem) => number[],
  items: readonly contacts.ContactItem[],
): Promise<Map<number, V>> {
  const found = await batch(teamId, [...new Set(items.flatMap(idsOf))]);
  return new Map(found.flatMap((record) => (record ? [[record.id, view(record)] as const] : [])));
}
