import * as lists from '../../data/contacts/lists.ts';
import * as segments from '../../data/contacts/segments.ts';
import * as tags from '../../data/contacts/tags.ts';
import { type FieldErrors, ValidationError } from '../../domain/errors.ts';

/** One id or several that a request names, with the path of their field. */
type Mention = { path: string; id: number | null | undefined } | { path: string; ids: readonly number[] | undefined };

/** The records that a request may name, by kind; tags and lists without their counts. */
interface Found {
  tags: ReadonlyMap<number, tags.TagItem>;
  lists: ReadonlyMap<number, lists.ListItem>;
  segments: ReadonlyMap<number, segments.SegmentItem>;
}

const kinds = { tags: 'tag', lists: 'list', segments: 'segment' } as const satisfies Record<keyof Found, string>;

/** Different records of one kind that a request may name: each costs a read. */
const maxOfKind = 1_000;

/**
 * Reads every tag, list and segment that a request names. Throws 422 with `refused` and the path of each that is not
 * the team's, and without a read when there are too many of a kind.
 */
export async function findReferences(
  teamId: number,
  mentions: { [Kind in keyof Found]?: readonly Mention[] },
  refused: FieldErrors = {},
): Promise<Found> {
  const named = {
    tags: idsWithPaths(mentions.tags),
    lists: idsWithPaths(mentions.lists),
    segments: idsWithPaths(mentions.segments),
  };
  for (const kind of ['tags', 'lists', 'segments'] as const) refuseTooMany(kind, named[kind]);
  const [foundTags, foundLists, foundSegments] = await Promise.all([
    tags.uncounted.batch(teamId, distinct(named.tags)),
    lists.uncounted.batch(teamId, distinct(named.lists)),
    segments.batch(teamId, distinct(named.segments)),
  ]);
  const found = { tags: byId(foundTags), lists: byId(foundLists), segments: byId(foundSegments) };
  const errors: FieldErrors = { ...refused };
  for (const kind of ['tags', 'lists', 'segments'] as const)
    for (const { path, id } of named[kind]) if (!found[kind].has(id)) errors[path] = [`no such ${kinds[kind]}`];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return found;
}

function refuseTooMany(kind: keyof Found, named: readonly { path: string; id: number }[]): void {
  const seen = new Set<number>();
  for (const { path, id } of named)
    if (seen.add(id).size > maxOfKind)
      throw new ValidationError({ [path]: [`a request names at most ${maxOfKind} different ${kind}`] });
}

const distinct = (named: readonly { id: number }[]): number[] => [...new Set(named.map(({ id }) => id))];

/** Every id with its path. */
function idsWithPaths(mentions: readonly Mention[] = []): { path: string; id: number }[] {
  return mentions.flatMap((mention) => {
    if ('ids' in mention) return (mention.ids ?? []).map((id, index) => ({ path: `${mention.path}.${index}`, id }));
    return typeof mention.id === 'number' ? [{ path: mention.path, id: mention.id }] : [];
  });
}

const byId = <T extends { id: number }>(records: readonly (T | undefined)[]): Map<number, T> =>
  new Map(records.flatMap((record) => (record ? [[record.id, record] as const] : [])));
