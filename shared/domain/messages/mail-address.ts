import { domainOf } from '../email-address.ts';
import { headerSafe } from './merge-tags.ts';

/** The domain of an address, with or without a display name. */
export const mailboxDomain = (mailbox: string): string => domainOf(mailbox.replace(/>$/, ''));

/** An address with a display name for a mail header: quoted where needed, as RFC 2047 words where not ASCII. */
export function mailbox(address: string, name: string | null | undefined): string {
  const safe = headerSafe(name ?? '');
  if (safe === '') return address;
  if (/^[A-Za-z0-9 !#$%&'*+/=?^_`{|}~-]+$/.test(safe)) return `${safe} <${address}>`;
  if (/^[\x20-\x7e]+$/.test(safe)) return `"${safe.replace(/["\\]/g, '\\$&')}" <${address}>`;
  return `${encodedWords(safe)} <${address}>`;
}

/** Text as RFC 2047 base64 words of at most 75 characters, split between characters. */
function encodedWords(text: string): string {
  const words: string[] = [];
  let chunk = '';
  for (const character of text) {
    if (Buffer.byteLength(chunk + character) > 42) {
      words.push(chunk);
      chunk = '';
    }
    chunk += character;
  }
  words.push(chunk);
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
