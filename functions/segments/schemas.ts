import * as z from 'zod';
import * as segments from '../../shared/data/contacts/segments.ts';
import { contact, segmentDefinition, segmentDefinitionInput } from '../../shared/http/audience-schemas.ts';
import { dataOf, pathRecord } from '../../shared/http/endpoint.ts';
import { id, singleLine } from '../../shared/http/schemas.ts';

/** What creation and PATCH take. */
export const segmentBody = z
  .object({
    name: singleLine(255),
    definition: segmentDefinitionInput
      .optional()
      .describe('Without one, creation takes everybody and PATCH changes nothing of it'),
  })
  .meta({ id: 'SegmentInput' });

/** A segment in a response. */
export const segment = z.object({ id, name: z.string(), definition: segmentDefinition }).meta({ id: 'Segment' });

/** The contacts of a definition. */
export const segmentPreview = dataOf(
  z.object({
    count: z.int().describe('Active contacts in the segment'),
    exact: z
      .boolean()
      .describe('Beyond the contract; false: too many to count in time, projected from the contacts that were read'),
    filters: segmentDefinition,
    sample: z.array(contact).describe('The first ten of them, by email'),
  }),
).meta({ id: 'SegmentPreview' });

/** `{segment}` in a path, and the segment that it names, or 404. */
export const [segmentParams, segmentOf] = pathRecord('segment', segments.find);
