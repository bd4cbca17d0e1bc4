import * as z from 'zod';
import * as lists from '../../shared/data/contacts/lists.ts';
import { optInModes } from '../../shared/domain/contacts/opt-in.ts';
import { pathRecord } from '../../shared/http/endpoint.ts';
import { description, singleLine } from '../../shared/http/schemas.ts';

/** What creation and PATCH take; absent fields stay. */
export const listBody = z
  .object({
    name: singleLine(255),
    description: description.nullish(),
    opt_in_mode: z.enum(optInModes).optional(),
  })
  .meta({ id: 'ListInput' });

/** `{list}` in a path, and the list that it names, without its count, or 404. */
export const [listParams, listOf] = pathRecord('list', lists.uncounted.find);
