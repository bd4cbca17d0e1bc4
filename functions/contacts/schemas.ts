import * as z from 'zod';
import { contactStatuses } from '../../shared/domain/contacts/contact.ts';
import { contact, contactRef, list, tag } from '../../shared/http/audience-schemas.ts';
import { email, metadata, recordId, singleLine } from '../../shared/http/schemas.ts';

/** Tags or lists of one contact in one request; places count, so that a refusal can name one. */
export const membershipIds = z.array(recordId).max(100, 'at most 100 ids');

/** `{contact}` in a path. */
export const contactParams = z.object({ contact: contactRef });

/** A contact with the relations that `include` asks for. */
export const contactWithRelations = contact
  .extend({ tags: z.array(tag).optional(), lists: z.array(list).optional() })
  .meta({ id: 'ContactWithRelations' });

const fields = {
  first_name: singleLine(255, 0).nullish(),
  last_name: singleLine(255, 0).nullish(),
  metadata: metadata.optional(),
  tag_ids: membershipIds.optional(),
  list_ids: membershipIds.optional(),
};

/** What an upsert takes. */
export const contactUpsert = z
  .object({
    email,
    ...fields,
    status_if_new: z.enum(['active', 'pending']).optional(),
    consent_source: singleLine(255, 0).nullish(),
    consent_ip: singleLine(255, 0).nullish(),
  })
  .meta({ id: 'ContactUpsert' });

/** What a PATCH takes. */
export const contactPatch = z
  .object({ ...fields, status: z.enum(contactStatuses).exclude(['bounced']).optional() })
  .meta({ id: 'ContactPatch' });
