import { domainOf } from '../email-address.ts';
import { headerSafe } from './merge-tags.ts';

/** The domain of an address, with or without a display name. */
export const mailboxDomain = (mailbox: string): string => domainOf(mailbox.replace(/>$/, ''));

/** SES refuses a longer address, its display name as written in the header included. */
const maxMailboxCharacters = 320;

/**
 * An address with a display name for a mail header: quoted where needed, as RFC 2047 words where not ASCII, and without
 * the end of the name where SES would find it too long.
 */
export function mailbox(address: string, name: string | null | undefined): string {
  const characters = [...headerSafe(name ?? '')];
  for (let kept = characters.length; kept > 0; kept--) {
    const header = `${phrase(characters.slice(0, kept).join('').trim())} <${address}>`;
    if (header.length <= maxMailboxCharacters) return header;
  }
  return address;
}

function phrase(name: string): string {
  // Mail programs decode what looks like an RFC 2047 word, some also within quotes.
  if (!/^[\x20-\x7e]+$/.test(name) || name.includes('=?')) return encodedWords(name);
  if (/^[A-Za-z0-9 !#$%&'*+/=?^_`{|}~-]+$/.test(name)) return name;
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
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
