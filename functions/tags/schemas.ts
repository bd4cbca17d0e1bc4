import * as z from 'zod';
import * as tags from '../../shared/data/contacts/tags.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/endpoint.ts';
import { singleLine } from '../../shared/http/schemas.ts';

/** What creation and PATCH take; the name is unique in the team without regard to case. */
export const tagBody = z
  .object({ name: singleLine(100).transform((name) => name.normalize('NFC')) })
  .meta({ id: 'TagInput' });

/** `{tag}` in a path. */
export const tagParams = idParams('tag');

/** The tag that a path names, or 404. */
export async function tagOf(teamId: number, params: { tag: number }): Promise<tags.TagItem> {
  return orNotFound(await tags.find(teamId, params.tag), 'tag');
}
