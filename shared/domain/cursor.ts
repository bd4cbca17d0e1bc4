import { createHmac, timingSafeEqual } from 'node:crypto';

/** A place in a listing: direction, position, and the hash of the listing it belongs to. */
export interface Cursor {
  d: 'forward' | 'backward';
  p: string;
  b: string;
}

const macBytes = 16;

const encoded = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');

/** An opaque cursor that only the holder of the key can make. */
export function sealCursor(key: Buffer, { d, p, b }: Cursor): string {
  const mac = createHmac('sha256', key)
    .update(JSON.stringify([d, p, b]))
    .digest();
  return encoded({ d, p, b, m: mac.toString('base64url', 0, macBytes) });
}

const asCursor = (text: string): Partial<Cursor> => {
  try {
    return (JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor | null) ?? {};
  } catch {
    return {};
  }
};

const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

/** The place of a cursor that was sealed with the key; undefined for every other text. */
export function openCursor(key: Buffer, text: string): Cursor | undefined {
  const { d, p, b } = asCursor(text) as Cursor;
  return equal(Buffer.from(sealCursor(key, { d, p, b })), Buffer.from(text)) ? { d, p, b } : undefined;
}
