import * as z from 'zod';
import { suppressionFields } from '../../shared/data/contacts/suppressions.ts';
import { suppressionReasons } from '../../shared/domain/contacts/suppression.ts';
import { recordSchema } from '../../shared/http/record-schema.ts';

/** Why an address is not mailed. */
export const suppressionReason = z.enum(suppressionReasons).meta({ id: 'SuppressionReason' });

/** A suppression in a response. */
export const suppression = recordSchema(suppressionFields, { reason: suppressionReason }).meta({ id: 'Suppression' });
