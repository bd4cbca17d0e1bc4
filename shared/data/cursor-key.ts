import { randomBytes } from 'node:crypto';
import { type Key, keys } from './keys.ts';
import * as table from './table.ts';

interface CursorKeyItem extends Key {
  /** 32 bytes in base64. */
  secret: string;
}

let known: Promise<Buffer> | undefined;

/** The key that seals cursors of listings: made once, the same for every function, and good for nothing else. */
export function cursorKey(): Promise<Buffer> {
  known ??= load().catch((error) => {
    known = undefined;
    throw error;
  });
  return known;
}

async function load(): Promise<Buffer> {
  const key = keys.cursorKey();
  const existing = await table.get<CursorKeyItem>(key);
  if (existing) return Buffer.from(existing.secret, 'base64');
  const made = randomBytes(32);
  return (await table.putNew({ ...key, secret: made.toString('base64') })) ? made : load();
}
