import * as z from 'zod';
import { suppressionReasons } from '../../shared/domain/suppression.ts';

/** A suppression in a response. */
export const suppression = z
  .object({
    id: z.int(),
    email: z.string(),
    reason: z.enum(suppressionReasons),
    source: z.string().nullable(),
    campaign_id: z.int().nullable(),
  })
  .meta({ id: 'Suppression' });
