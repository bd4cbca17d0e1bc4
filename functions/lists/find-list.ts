import * as lists from '../../shared/data/contacts/lists.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/schemas.ts';

/** `{list}` in a path. */
export const listParams = idParams('list');

/** The list that a path names, or 404. */
export async function listOf(teamId: number, params: { list: number }): Promise<lists.ListItem> {
  return orNotFound(await lists.find(teamId, params.list), 'list');
}
