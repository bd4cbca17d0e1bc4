import * as z from 'zod';
import { suppressionReasons } from '../../shared/domain/suppression.ts';
import { address, id } from '../../shared/http/schemas.ts';

/** A suppression in a response. */
export const suppression = z
  .object({
    id,
    email: address,
    reason: z.enum(suppressionReasons),
    source: z.string().nullable(),
    campaign_id: id.nullable(),
  })
  .meta({ id: 'Suppression' });
