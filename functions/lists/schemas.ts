import * as z from 'zod';
import * as lists from '../../shared/data/contacts/lists.ts';
import { optInModes } from '../../shared/domain/contacts/opt-in.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/endpoint.ts';
import { description, singleLine } from '../../shared/http/schemas.ts';

/** What creation and PATCH take; absent fields stay. */
export const listBody = z
  .object({
    name: singleLine(255),
    description: description.nullish(),
    opt_in_mode: z.enum(optInModes).optional(),
  })
  .meta({ id: 'ListInput' });

/** `{list}` in a path. */
export const listParams = idParams('list');

/** The list that a path names, or 404. */
export async function listOf(teamId: number, params: { list: number }): Promise<lists.ListItem> {
  return orNotFound(await lists.find(teamId, params.list), 'list');
}
