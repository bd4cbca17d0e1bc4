import * as z from 'zod';
import * as contacts from '../../shared/data/contacts/contacts.ts';
import { contactFields, contactStatuses } from '../../shared/domain/contacts/contact.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { type Written, writtenFields } from '../../shared/domain/record.ts';
import { contact, contactRef, list, tag } from '../../shared/http/audience-schemas.ts';
import { email, metadata, recordId, singleLine } from '../../shared/http/schemas.ts';

/** Tags or lists in one request; not deduplicated, so that an error can name an index. */
export const membershipIds = z.array(recordId).max(100, 'at most 100 ids');

/** `{contact}` in a path. */
export const contactParams = z.object({ contact: contactRef });

/** A contact with the relations that `include` asks for. */
export const contactWithRelations = contact
  .extend({ tags: z.array(tag).optional(), lists: z.array(list).optional() })
  .meta({ id: 'ContactWithRelations' });

const text = singleLine(255, 0).nullish();

/** What requests may write of the fields that are texts; `null` clears one. */
const texts = <By extends 'by upsert' | 'by upsert and patch'>(by: By) =>
  Object.fromEntries(writtenFields(contactFields, by).map((name) => [name, text])) as {
    [Name in Written<typeof contactFields, By>]: typeof text;
  };

const fields = {
  ...texts('by upsert and patch'),
  metadata: metadata.optional(),
  tag_ids: membershipIds.optional(),
  list_ids: membershipIds.optional(),
};

/** What an upsert takes. */
export const contactUpsert = z
  .object({ email, ...fields, status_if_new: z.enum(['active', 'pending']).optional(), ...texts('by upsert') })
  .meta({ id: 'ContactUpsert' });

/** What a PATCH takes. */
export const contactPatch = z
  .object({ ...fields, status: z.enum(contactStatuses).exclude(['bounced']).optional() })
  .meta({ id: 'ContactPatch' });

/** The live contact that a path names, or 404. */
export const contactOf = async (
  teamId: number,
  params: { contact: contacts.ContactRef },
): Promise<contacts.ContactItem> => orNotFound(await contacts.find(teamId, params.contact), 'contact');
