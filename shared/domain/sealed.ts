import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** What the secrets of a kind are for: each has a data key of its own. */
export const purposes = ['signing', 'webhooks', 'answers'] as const;
export type Purpose = (typeof purposes)[number];

/** A secret as it is stored: sealed, or as text by a version that does not seal. */
export type StoredSecret = string | Uint8Array;

const algorithm = 'aes-256-gcm';
/** The first byte of what is sealed; gzip begins with another one. */
const version = 1;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + nonceBytes + tagBytes;

/** Whether bytes are a sealed secret. */
export const isSealed = (stored: StoredSecret): stored is Uint8Array =>
  typeof stored !== 'string' && stored[0] === version;

/** Encrypts a secret (AES-256-GCM); `owner` names the record that it is for, and it opens with no other. */
export function sealWith(dataKey: Uint8Array, owner: string, secret: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, dataKey, nonce).setAAD(Buffer.from(owner));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([[version], nonce, cipher.getAuthTag(), encrypted].map((part) => Buffer.from(part)));
}

/** Decrypts what `sealWith` made of a secret; throws when it was changed, or is another record's or key's. */
export function openWith(dataKey: Uint8Array, owner: string, sealed: Uint8Array): string {
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const decipher = createDecipheriv(algorithm, dataKey, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(1 + nonceBytes, headBytes));
  return Buffer.concat([decipher.update(sealed.subarray(headBytes)), decipher.final()]).toString();
}
