import * as lists from '../data/lists.ts';
import * as tags from '../data/tags.ts';
import { type FieldErrors, ValidationError } from '../domain/errors.ts';

/** What a request names: one id, or several, with the path of their field. */
type Mention = { path: string; id: number | null | undefined } | { path: string; ids: readonly number[] | undefined };

/**
 * Reads every tag and list that a request names, by id; throws 422 on the path of each that is not the team's,
 * together with what was `refused` before.
 */
export async function findReferences(
  teamId: number,
  mentions: { tags?: readonly Mention[]; lists?: readonly Mention[] },
  refused: FieldErrors = {},
): Promise<{ tags: ReadonlyMap<number, tags.TagItem>; lists: ReadonlyMap<number, lists.ListItem> }> {
  const [namedTags, namedLists] = [places(mentions.tags), places(mentions.lists)];
  const [foundTags, foundLists] = await Promise.all([
    tags.batch(teamId, [...new Set(namedTags.map(({ id }) => id))]),
    lists.batch(teamId, [...new Set(namedLists.map(({ id }) => id))]),
  ]);
  const found = { tags: byId(foundTags), lists: byId(foundLists) };
  const errors: FieldErrors = { ...refused };
  for (const { path, id } of namedTags) if (!found.tags.has(id)) errors[path] = ['no such tag'];
  for (const { path, id } of namedLists) if (!found.lists.has(id)) errors[path] = ['no such list'];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return found;
}

/** Every id with the path it stands at. */
function places(mentions: readonly Mention[] = []): { path: string; id: number }[] {
  return mentions.flatMap((mention) => {
    if ('ids' in mention) return (mention.ids ?? []).map((id, index) => ({ path: `${mention.path}.${index}`, id }));
    return typeof mention.id === 'number' ? [{ path: mention.path, id: mention.id }] : [];
  });
}

const byId = <T extends { id: number }>(records: readonly (T | undefined)[]): Map<number, T> =>
  new Map(records.flatMap((record) => (record ? [[record.id, record] as const] : [])));
