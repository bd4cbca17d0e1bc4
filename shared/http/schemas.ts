import * as z from 'zod';
import { metadataFault } from '../domain/contacts/metadata.ts';
import { emailFault, normalizeEmail } from '../domain/email-address.ts';
import { blockerWords } from '../domain/errors.ts';
import { scopes } from '../domain/teams/scopes.ts';
import { timestamp } from '../domain/time.ts';

// A `meta` with a `type` or `oneOf` replaces what zod would write into the OpenAPI document (openapi.ts).
const asId = { type: 'integer', format: 'int64', minimum: 1 } as const;

/** A record's id in a response. */
export const id = z.int().meta(asId);

/** A record's id in a body; ids have at most 12 digits. */
export const recordId = z.int().min(1).max(999_999_999_999).meta({ format: 'int64' });

/** A record's id in a path or query, which arrives as text. */
export const textId = z
  .string()
  .regex(/^\d{1,12}$/, 'an integer id')
  .transform(Number)
  .meta(asId);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const control = /[\u0000-\u001f\u007f]/;

/** Well-formed Unicode: no lone surrogates. */
export const wellFormed = (schema: z.ZodString) =>
  schema.refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

/** Text with line breaks. */
export const multiLine = (max: number) => wellFormed(z.string().max(max, `at most ${max} characters`));

/** A record's description: text with line breaks, trimmed. */
export const description = wellFormed(z.string().trim().max(2_000, 'at most 2000 characters'));

/** One line of text, trimmed; without control characters, so it is safe in a mail header. */
export const singleLine = (max: number, min = 1) =>
  wellFormed(
    z
      .string()
      .trim()
      .min(min, min > 0 ? 'must not be empty' : undefined)
      .max(max, `at most ${max} characters`)
      .refine((text) => !control.test(text), 'must not contain line breaks or control characters'),
  );

/** The first label of a MAIL FROM domain. */
export const mailFromSubdomain = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'one label of a domain name: letters, digits and hyphens');

const asEmail = { type: 'string', format: 'email' } as const;

/** An email address, normalized. */
export const email = z
  .string()
  .transform(normalizeEmail)
  .superRefine((address, context) => {
    const fault = emailFault(address);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  })
  .meta(asEmail);

/** An email address in a query; an unescaped `+` arrives there as a space. */
export const textEmail = z
  .string()
  .transform((text) => text.trim().replaceAll(' ', '+'))
  .pipe(email)
  .meta(asEmail);

/** An email address in a response. */
export const address = z.string().meta(asEmail);

/** An object of JSON values, as it is: zod's own record leaves out the key `__proto__`. */
export const jsonObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ type: 'object', additionalProperties: {} });

/** An object of JSON values: at most 16 KB and 100 keys. */
export const metadata = jsonObject.superRefine((data, context) => {
  const fault = metadataFault(data);
  if (fault)
    context.addIssue({ code: 'custom', message: fault.message, path: fault.key === undefined ? [] : [fault.key] });
});

const iso = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/;

// Text sorts like time only while years have four digits.
const [minTime, maxTime] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

const asTime = { type: 'string', format: 'date-time' } as const;

/** An ISO 8601 timestamp, UTC unless it has an offset; outputs the form that we store. */
export const timestampInput = z
  .string()
  .transform((given, context) => {
    // In a query, the `+` of an offset arrives as a space unless it is escaped.
    const text = given.replace(/(:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/, '$1+$2');
    const match = iso.exec(text.trim());
    const zoned = text.trim().replace(/^(\d{4}-\d{2}-\d{2})$/, '$1T00:00:00');
    const at = match
      ? Date.parse(/(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(zoned.slice(10)) ? zoned : `${zoned}Z`)
      : Number.NaN;
    // Date.parse takes 30 February for 2 March.
    const day = zoned.slice(0, 10);
    const exists = !Number.isNaN(at) && timestamp(Date.parse(day)).startsWith(day);
    if (!exists || at < minTime || at > maxTime) {
      context.addIssue({ code: 'custom', message: 'an ISO 8601 timestamp such as 2026-11-20T10:00:00Z' });
      return z.NEVER;
    }
    return timestamp(at);
  })
  .meta(asTime);

/** A yes or no in a query; no unless given. */
export const flag = z
  .enum(['true', 'false', '1', '0'], 'true or false')
  .transform((text) => text === 'true' || text === '1')
  .meta({ type: 'boolean', default: false })
  .optional();

/** A timestamp in a response. */
export const time = z.string().meta(asTime);

/** A scope of an API key. */
export const scope = z.enum(scopes).meta({ id: 'Scope' });

/** A reason why a campaign cannot be sent. */
export const blocker = z.enum(blockerWords).meta({ id: 'Blocker' });
