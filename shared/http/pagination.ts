import { createHash } from 'node:crypto';
import * as z from 'zod';
import { cursorKey } from '../data/cursor-key.ts';
import { type Direction, readPage, type Search } from '../data/paging.ts';
import { openCursor, sealCursor } from '../domain/cursor.ts';
import { ValidationError } from '../domain/errors.ts';

const pageName = (schema: z.ZodType) => {
  const name = z.globalRegistry.get(schema)?.id;
  return name && `${name}Page`;
};

/** The page envelope of a listing; in the OpenAPI document it is named after its records. */
export const pageOf = <T extends z.ZodType>(schema: T) =>
  z
    .object({
      data: z.array(schema),
      per_page: z.int(),
      next_cursor: z.string().nullable(),
      prev_cursor: z.string().nullable(),
      next_page_url: z.string().meta({ format: 'uri' }).nullable(),
      prev_page_url: z.string().meta({ format: 'uri' }).nullable(),
      has_more: z.boolean(),
    })
    .meta({ id: pageName(schema) });

/** Query parameters of every listing. */
export const pageQuery = z.object({
  per_page: z
    .string()
    .regex(/^\d{1,3}$/, 'an integer from 1 to 100')
    .transform(Number)
    .refine((count) => count >= 1 && count <= 100, 'an integer from 1 to 100')
    .meta({ type: 'integer', minimum: 1, maximum: 100, default: 25, description: 'Records on a page' })
    .default(25),
  cursor: z.string().max(2_000).describe('The `next_cursor` or `prev_cursor` of a page').optional(),
});

/** The part of a request that a listing uses. */
interface Listing {
  caller: { teamId: number };
  /** Without `/v1`. */
  path: string;
  /** Includes `/v1`. */
  baseUrl: string;
  /** `per_page`, `cursor` and the filters. */
  query: { per_page: number; cursor?: string | undefined } & Record<string, unknown>;
}

const binding = (teamId: number, path: string, filters: [string, string][]): string =>
  createHash('sha256')
    .update(JSON.stringify([teamId, path, filters]))
    .digest('base64url')
    .slice(0, 16);

function placeOf(key: Buffer, text: string, bound: string) {
  const place = openCursor(key, text);
  if (place?.b === bound) return place;
  throw new ValidationError({ cursor: ['not a cursor of this listing, with these filters'] });
}

/** A search that takes longer returns a short page; API Gateway waits for 29 s. */
const maxSearchMs = 12_000;
/** As does one that has read so many rows: each costs up to a read unit. */
const maxSearched = 10_000;

/** One page of `source` in the contract's envelope. Throws a ValidationError when the cursor is of another listing. */
export async function paginate<T, V>(
  { caller, path, baseUrl, query }: Listing,
  source: Search<T>,
  view: (item: T) => V,
) {
  const { per_page, cursor, ...rest } = query;
  const filters = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const bound = binding(caller.teamId, path, filters);
  const key = await cursorKey();
  const at = cursor === undefined ? undefined : placeOf(key, cursor, bound);
  const bounds = { deadline: Date.now() + maxSearchMs, rows: maxSearched };
  const page = await readPage(source, at?.d ?? 'forward', at?.p, per_page, bounds);
  const seal = (d: Direction, p: string | undefined) => (p === undefined ? null : sealCursor(key, { d, p, b: bound }));
  const url = (to: string | null) =>
    to && `${baseUrl}${path}?${new URLSearchParams([...filters, ['per_page', String(per_page)], ['cursor', to]])}`;
  const next_cursor = seal('forward', page.next);
  const prev_cursor = seal('backward', page.prev);
  return {
    data: page.items.map(view),
    per_page,
    next_cursor,
    prev_cursor,
    next_page_url: url(next_cursor),
    prev_page_url: url(prev_cursor),
    has_more: next_cursor !== null,
  };
}
