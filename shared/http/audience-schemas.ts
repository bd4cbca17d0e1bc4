import * as z from 'zod';
import { contactStatuses } from '../domain/contact.ts';
import { emailFault, normalizeEmail } from '../domain/email-address.ts';
import { textId, time } from './schemas.ts';

/** A tag in a response. */
export const tag = z
  .object({ id: z.int(), name: z.string(), contacts_count: z.int(), created_at: time, updated_at: time })
  .meta({ id: 'Tag' });

/** A list in a response. */
export const list = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    is_default: z.boolean(),
    opt_in_mode: z.enum(['single', 'double']),
    contacts_count: z.int(),
  })
  .meta({ id: 'List' });

/** A contact in a response. */
export const contact = z
  .object({
    id: z.int(),
    email: z.string(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    status: z.enum(contactStatuses),
    metadata: z.record(z.string(), z.unknown()),
    subscribed_at: time.nullable(),
    unsubscribed_at: time.nullable(),
    confirmed_at: time.nullable(),
    consent_source: z.string().nullable(),
    soft_bounce_count: z.int(),
    created_at: time.nullable(),
    updated_at: time.nullable(),
  })
  .meta({ id: 'Contact' });

/** A contact in a path: a numeric id or an email address, told apart by the digits. */
export const contactRef = z
  .union([
    textId,
    z
      .string()
      .transform(normalizeEmail)
      .refine((address) => emailFault(address) === undefined),
  ])
  .meta({ description: 'A numeric id or an email address' });
