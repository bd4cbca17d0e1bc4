import * as lists from '../data/lists.ts';
import * as tags from '../data/tags.ts';
import { type FieldErrors, ValidationError } from '../domain/errors.ts';

/** Ids that a body names, with the path of their array. */
interface Mention {
  path: string;
  ids: readonly number[] | undefined;
}

/** Checks that every tag and list a body names is the team's; throws 422 on the path of each that is not. Returns the lists that ask for confirmation. */
export async function findReferences(
  teamId: number,
  mentions: { tags?: readonly Mention[]; lists?: readonly Mention[] },
): Promise<{ doubleOptIn: ReadonlySet<number> }> {
  const tagIds = named(mentions.tags);
  const listIds = named(mentions.lists);
  const [foundTags, foundLists] = await Promise.all([tags.batch(teamId, tagIds), lists.batch(teamId, listIds)]);
  const errors: FieldErrors = {
    ...missing(mentions.tags, tagIds, foundTags, 'tag'),
    ...missing(mentions.lists, listIds, foundLists, 'list'),
  };
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return { doubleOptIn: new Set(foundLists.flatMap((list) => (list?.opt_in_mode === 'double' ? [list.id] : []))) };
}

const named = (mentions: readonly Mention[] = []): number[] => [...new Set(mentions.flatMap(({ ids }) => ids ?? []))];

function missing(
  mentions: readonly Mention[] = [],
  ids: readonly number[],
  found: readonly unknown[],
  what: string,
): FieldErrors {
  const known = new Set(ids.filter((_, index) => found[index]));
  const errors: FieldErrors = {};
  for (const { path, ids = [] } of mentions)
    for (const [index, id] of ids.entries()) if (!known.has(id)) errors[`${path}.${index}`] = [`no such ${what}`];
  return errors;
}
