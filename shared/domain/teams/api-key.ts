import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'mw_live_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const pattern = /^mw_live_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let i = 0; i < 6; i++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** A new API key: `mw_live_`, 30 random base62 characters and their CRC32 in 6. */
export function generateApiKey(): string {
  const random = Array.from({ length: 30 }, () => alphabet[randomInt(62)]).join('');
  return prefix + random + checksum(random);
}

/** Whether a text has an API key's form and checksum; needs no read. */
export function isApiKey(text: string): boolean {
  const match = pattern.exec(text);
  return match !== null && checksum(match[1]!) === match[2];
}

/** What a listing shows of a key: its first 12 characters, then dots. */
export const maskApiKey = (key: string): string => `${key.slice(0, prefix.length + 4)}…`;

/** The SHA-256 (hex) under which a key is stored; the secret is never stored. */
export const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex');
