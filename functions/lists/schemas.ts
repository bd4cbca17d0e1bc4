import * as z from 'zod';
import { optInModes } from '../../shared/domain/contacts/opt-in.ts';
import { description, singleLine } from '../../shared/http/schemas.ts';

/** What creation and PATCH take; absent fields stay. */
export const listBody = z
  .object({
    name: singleLine(255),
    description: description.nullish(),
    opt_in_mode: z.enum(optInModes).optional(),
  })
  .meta({ id: 'ListInput' });
