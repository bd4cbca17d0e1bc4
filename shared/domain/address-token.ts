import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/** The kinds of links that carry the address they were mailed to, with the number of ids beside it. */
const kinds = {
  /** Team, campaign, contact. */
  unsubscribe: { prefix: 'u2', ids: 3 },
  /** Team, campaign, page, index: a recipient that is not a contact, by its index in the audience snapshot. */
  unsubscribe_place: { prefix: 'p2', ids: 4 },
  /** Team, sequence, contact. */
  sequence: { prefix: 'q2', ids: 3 },
  /** Team: the address gets no more messages of it. */
  service: { prefix: 'n2', ids: 1 },
} as const;

export type AddressTokenKind = keyof typeof kinds;

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encryptionKey = (key: Buffer): Buffer => hmac(key, 'addresses in links');

/** A keyed hash under which something is counted for an address: only who has the address finds it again. */
export const addressHash = (key: Buffer, counted: string, email: string): string =>
  hmac(hmac(key, 'addresses in counts'), `${counted} ${email}`).toString('base64url');

/**
 * A URL-safe token of ids and an address. The address is encrypted and the ids are authenticated (AES-256-GCM), so that
 * the link unsubscribes its address also when nothing else here names it any more. Equal input gives an equal token.
 */
export function sealToken(key: Buffer, kind: AddressTokenKind, ids: readonly number[], email: string): string {
  const named = [kinds[kind].prefix, ...ids].join('.');
  // A nonce made of what is encrypted repeats only with it.
  const nonce = hmac(key, `${named} ${email}`).subarray(0, nonceBytes);
  const cipher = createCipheriv(algorithm, encryptionKey(key), nonce).setAAD(Buffer.from(named));
  const encrypted = Buffer.concat([cipher.update(email, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), Buffer.from(`${named} `), encrypted]).toString('base64url');
}

/** The ids and the address of a token; undefined when it is not one of this kind that we sealed. */
export function unsealToken(
  key: Buffer,
  kind: AddressTokenKind,
  token: string,
): { ids: number[]; email: string } | undefined {
  const bytes = Buffer.from(token, 'base64url');
  const end = bytes.indexOf(' ', nonceBytes + tagBytes);
  if (end < 0 || bytes.toString('base64url') !== token) return undefined;
  const named = bytes.subarray(nonceBytes + tagBytes, end);
  const [prefix, ...ids] = named.toString().split('.');
  if (prefix !== kinds[kind].prefix || ids.length !== kinds[kind].ids) return undefined;
  const decipher = createDecipheriv(algorithm, encryptionKey(key), bytes.subarray(0, nonceBytes))
    .setAAD(named)
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    const email = Buffer.concat([decipher.update(bytes.subarray(end + 1)), decipher.final()]).toString();
    return { ids: ids.map(Number), email };
  } catch {
    return undefined;
  }
}
