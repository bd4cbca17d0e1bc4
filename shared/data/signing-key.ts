import { randomBytes } from 'node:crypto';
import { timestamp } from '../domain/time.ts';
import { type Key, keys } from './keys.ts';
import * as table from './table.ts';

interface SigningKeyItem extends Key {
  /** 32 bytes in base64. */
  secret: string;
  /** From then on every cursor that clients hold is sealed; absent until a version that seals them reads the item. */
  cursors_sealed_since?: string;
}

let cached: Promise<Required<SigningKeyItem>> | undefined;

/** The key that signs links: made once, kept in the table (encrypted at rest), the same for every function. */
export async function signingKey(): Promise<Buffer> {
  return Buffer.from((await stored()).secret, 'base64');
}

/** Whether a cursor that is not sealed may still be one of ours, given out by the version before. */
export async function takesUnsealedCursors(): Promise<boolean> {
  return timestamp() < (await stored()).cursors_sealed_since;
}

function stored(): Promise<Required<SigningKeyItem>> {
  cached ??= load().catch((error) => {
    cached = undefined;
    throw error;
  });
  return cached;
}

/** Longer than a deployment and the walk through a listing that began before it. */
const deploymentMs = 2 * 86_400_000;

async function load(): Promise<Required<SigningKeyItem>> {
  const key = keys.signingKey();
  const existing = await table.get<SigningKeyItem>(key);
  if (existing) return { ...existing, cursors_sealed_since: await sealedSince(existing) };
  const made = { ...key, secret: randomBytes(32).toString('base64'), cursors_sealed_since: timestamp() };
  return (await table.putNew(made)) ? made : load();
}

async function sealedSince({ pk, sk, cursors_sealed_since }: SigningKeyItem): Promise<string> {
  if (cursors_sealed_since !== undefined) return cursors_sealed_since;
  const updated = await table.update<Required<SigningKeyItem>>({
    Key: { pk, sk },
    UpdateExpression: 'SET cursors_sealed_since = if_not_exists(cursors_sealed_since, :at)',
    ExpressionAttributeValues: { ':at': timestamp(Date.now() + deploymentMs) },
    ReturnValues: 'ALL_NEW',
  });
  return updated!.cursors_sealed_since;
}
