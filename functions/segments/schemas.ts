import * as z from 'zod';
import { contact, segmentDefinition, segmentDefinitionInput } from '../../shared/http/audience-schemas.ts';
import { dataOf, id, singleLine } from '../../shared/http/schemas.ts';

/** What creation and PATCH take. */
export const segmentBody = z
  .object({
    name: singleLine(255),
    definition: segmentDefinitionInput
      .optional()
      .meta({ description: 'Without one, creation takes everybody and PATCH changes nothing of it' }),
  })
  .meta({ id: 'SegmentInput' });

/** A segment in a response. */
export const segment = z.object({ id, name: z.string(), definition: segmentDefinition }).meta({ id: 'Segment' });

/** The contacts of a definition. */
export const segmentPreview = dataOf(
  z.object({
    count: z.int().meta({ description: 'Active contacts in the segment' }),
    filters: segmentDefinition,
    sample: z.array(contact).meta({ description: 'The first ten of them, by email' }),
  }),
).meta({ id: 'SegmentPreview' });
