import * as tags from '../../shared/data/contacts/tags.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/schemas.ts';

/** `{tag}` in a path. */
export const tagParams = idParams('tag');

/** The tag that a path names, or 404. */
export async function tagOf(teamId: number, params: { tag: number }): Promise<tags.TagItem> {
  return orNotFound(await tags.find(teamId, params.tag), 'tag');
}
