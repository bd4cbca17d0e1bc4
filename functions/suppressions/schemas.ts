import * as z from 'zod';
import { suppressionReasons } from '../../shared/domain/contacts/suppression.ts';
import { address, id } from '../../shared/http/schemas.ts';

/** Why an address is not mailed. */
export const suppressionReason = z.enum(suppressionReasons).meta({ id: 'SuppressionReason' });

/** A suppression in a response. */
export const suppression = z
  .object({
    id,
    email: address,
    reason: suppressionReason,
    source: z.string().nullable(),
    campaign_id: id.nullable(),
  })
  .meta({ id: 'Suppression' });
