const MAX_LENGTH = 320;
const ENCODED_WORD = /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=(?:\s+(?==\?))?/gi;

/** The bare address of a mailbox: `Ann <ann@a.example>` → `ann@a.example`, in lower case. */
export function addressOf(mailbox: string): string {
  const angled = /<([^<>]*)>\s*$/.exec(mailbox);
  return (angled ? angled[1]! : mailbox).trim().toLowerCase();
}

/** The domain of a mailbox; empty when it has none. */
export function domainOf(mailbox: string): string {
  const address = addressOf(mailbox);
  return address.slice(address.lastIndexOf('@') + 1);
}

/** SES's error for a mailbox that it cannot send to or from; undefined for a valid one. */
export function addressFault(mailbox: unknown): string | undefined {
  if (typeof mailbox !== 'string' || mailbox === '') return 'Empty address';
  if (mailbox.length > MAX_LENGTH) return `Address length is more than ${MAX_LENGTH} characters long: '${mailbox}'.`;
  if (/[\r\n]/.test(mailbox)) return 'Invalid email address: line breaks are not allowed.';
  const address = addressOf(mailbox);
  const at = address.lastIndexOf('@');
  if (at <= 0) return "Missing final '@domain'";
  if (at === address.length - 1) return 'Missing domain';
  if (/[^!-~]/.test(address.slice(0, at))) return 'Local address contains control or whitespace';
  if (/[^!-~]/.test(address.slice(at + 1))) return 'Domain contains control or whitespace';
  return undefined;
}

/** Header text as a mail reader shows it: RFC 2047 encoded words decoded. */
export function decodeWords(text: string): string {
  return text.replace(ENCODED_WORD, (word, charset: string, kind: string, body: string) => {
    try {
      return new TextDecoder(charset).decode(kind.toLowerCase() === 'b' ? Buffer.from(body, 'base64') : quoted(body));
    } catch {
      return word; // an unknown charset
    }
  });
}

function quoted(body: string): Buffer {
  const bytes = body
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
