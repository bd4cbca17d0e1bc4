import * as z from 'zod';
import { listFields } from '../data/contacts/lists.ts';
import { tagFields } from '../data/contacts/tags.ts';
import { contactFields, contactStatuses } from '../domain/contacts/contact.ts';
import { engagementTypes } from '../domain/contacts/segments.ts';
import { emailFault, normalizeEmail } from '../domain/email-address.ts';
import { recordSchema } from './record-schema.ts';
import { id, multiLine, recordId, textId } from './schemas.ts';

/** A tag in a response. */
export const tag = recordSchema(tagFields).meta({ id: 'Tag' });

/** A list in a response. */
export const list = recordSchema(listFields).meta({ id: 'List' });

/** The status of a contact. */
export const contactStatus = z.enum(contactStatuses).meta({ id: 'ContactStatus' });

/** A contact in a response. */
export const contact = recordSchema(contactFields, { status: contactStatus }).meta({ id: 'Contact' });

/** A contact in a path: a numeric id or an email address. */
export const contactRef = z
  .union([
    textId,
    z
      .string()
      .transform(normalizeEmail)
      .refine((email) => emailFault(email) === undefined),
  ])
  .meta({ type: 'string', description: 'A numeric id or an email address' });

const day = z.iso.date('a date such as 2026-11-20').meta({ type: 'string', format: 'date' });

const filterText = multiLine(255);

/** A segment definition in a body. */
export const segmentDefinitionInput = z
  .object({
    // Not deduplicated, so that an error can name an index.
    tag_ids: z
      .array(recordId)
      .max(100, 'at most 100 ids')
      .nullish()
      .describe('Any of these tags; a tag that is deleted later matches nobody'),
    date_from: day.nullish().describe('Created on this day (UTC) or later'),
    date_to: day.nullish().describe('Created on this day (UTC) or before'),
    search: filterText.nullish().describe('Part of the email, first name or last name, in any case'),
    company: filterText.nullish().describe('Part of `metadata.company`, in any case'),
    location: filterText
      .nullish()
      .describe('Part of `metadata.city`, `metadata.country` or `metadata.location`, in any case'),
    engagement: z
      .object({ type: z.enum(engagementTypes), days: z.int().min(1).max(365) })
      .nullish()
      .describe(
        'What people did in the last `days` (24 hours each), machines apart: `not_opened` and `not_clicked` are' +
          ' everybody else, `inactive` neither opened nor clicked, `received` was sent a campaign',
      ),
  })
  .refine(({ date_from, date_to }) => !date_from || !date_to || date_from <= date_to, {
    message: 'must not be before date_from',
    path: ['date_to'],
  })
  .meta({ id: 'SegmentDefinitionInput', description: 'Every filter that is given must match' });

/** A segment definition in a response. */
export const segmentDefinition = z
  .object({
    tag_ids: z.array(id).nullish(),
    date_from: day.nullish(),
    date_to: day.nullish(),
    search: z.string().nullish(),
    company: z.string().nullish(),
    location: z.string().nullish(),
    engagement: z.object({ type: z.enum(engagementTypes), days: z.int() }).nullish(),
  })
  .meta({ id: 'SegmentDefinition' });
