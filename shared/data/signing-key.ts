import { randomBytes } from 'node:crypto';
import { keys } from './keys.ts';
import * as table from './table.ts';

let cached: Promise<Buffer> | undefined;

/** The key that signs links: made once, kept in the table (encrypted at rest), the same for every function. */
export function signingKey(): Promise<Buffer> {
  cached ??= load().catch((error) => {
    cached = undefined;
    throw error;
  });
  return cached;
}

async function load(): Promise<Buffer> {
  const existing = await table.get<{ secret: string }>(keys.signingKey());
  if (existing) return Buffer.from(existing.secret, 'base64');
  const secret = randomBytes(32).toString('base64');
  if (await table.putNew({ ...keys.signingKey(), secret })) return Buffer.from(secret, 'base64');
  return load();
}
