import * as lists from '../../shared/data/lists.ts';
import * as tags from '../../shared/data/tags.ts';
import { type FieldErrors, ValidationError } from '../../shared/domain/errors.ts';

/** Checks that the tag and list of a filter are the team's (422 on the one that is not) and says which has fewer contacts. */
export async function smallerOf(
  teamId: number,
  { tag_id, list_id }: { tag_id?: number; list_id?: number },
): Promise<'tag' | 'list'> {
  const [tag, list] = await Promise.all([
    tag_id === undefined ? undefined : tags.find(teamId, tag_id),
    list_id === undefined ? undefined : lists.find(teamId, list_id),
  ]);
  const errors: FieldErrors = {};
  if (tag_id !== undefined && !tag) errors.tag_id = ['no such tag'];
  if (list_id !== undefined && !list) errors.list_id = ['no such list'];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return tag && (!list || tag.contacts_count <= list.contacts_count) ? 'tag' : 'list';
}
