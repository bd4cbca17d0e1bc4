import { findReferences } from '../../shared/flows/find-references.ts';

/** Checks that the tag and list of a filter are the team's (422 on the one that is not) and says which has fewer contacts. */
export async function smallerOf(
  teamId: number,
  { tag_id, list_id }: { tag_id?: number; list_id?: number },
): Promise<'tag' | 'list'> {
  const { tags, lists } = await findReferences(teamId, {
    tags: [{ path: 'tag_id', id: tag_id }],
    lists: [{ path: 'list_id', id: list_id }],
  });
  const sizeOf = (found: ReadonlyMap<number, { contacts_count: number }>, id = 0) =>
    found.get(id)?.contacts_count ?? Infinity;
  return tag_id !== undefined && sizeOf(tags, tag_id) <= sizeOf(lists, list_id) ? 'tag' : 'list';
}
