import * as lists from '../../shared/data/contacts/lists.ts';
import { NotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/schemas.ts';

/** `{list}` in a path. */
export const listParams = idParams('list');

/** The list that a path names, or 404. */
export async function listOf(teamId: number, params: { list: number }): Promise<lists.ListItem> {
  const found = await lists.find(teamId, params.list);
  if (!found) throw new NotFound('list');
  return found;
}
