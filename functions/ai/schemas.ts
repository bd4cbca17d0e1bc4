import * as z from 'zod';
import { bodyText } from '../../shared/http/content-schemas.ts';

/** The HTML or plain text that a tool works on. */
export const content = bodyText
  .refine((text) => text.trim() !== '', 'must not be empty')
  .describe('HTML or plain text, at most 180,000 bytes');

/** From 0 to 100. */
export const score = z.number().min(0).max(100);

/** What is used of an allowance; `limit` and `remaining` are null where there is none. */
export const allowance = z
  .object({
    used: z.int().min(0),
    limit: z.int().min(0).nullable(),
    remaining: z.int().min(0).nullable(),
  })
  .meta({ id: 'Allowance', description: 'limit and remaining are null where there is no limit' });
