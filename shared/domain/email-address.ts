import { domainToASCII } from 'node:url';

const atom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
const beyondAscii = /[^\x00-\x7f]/;

/** Stands in for the address of an erased contact. */
export const erasedEmail = 'erased@anonymized.invalid';

/** An address as it is stored: trimmed, only ASCII letters in lower case (Unicode would make a kelvin sign a `k`). */
export const normalizeEmail = (input: string): string =>
  input.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Why a normalized address is refused; undefined when it is accepted (RFC 5321 dot-atom, at most 254 characters). */
export function emailFault(email: string): string | undefined {
  if (email === '') return 'an email address is required';
  if (email.length > 254) return 'an email address has at most 254 characters';
  const at = email.lastIndexOf('@');
  if (at < 1) return 'not an email address: it has no local part before an @';
  const local = email.slice(0, at);
  if (local.includes('"')) return 'quoted local parts (with " before the @) are not accepted';
  if (beyondAscii.test(local))
    return 'letters outside ASCII before the @ are not accepted: mail to such an address cannot be delivered';
  if (local.length > 64) return 'the part before the @ has at most 64 characters';
  if (!local.split('.').every((part) => atom.test(part))) return 'not a valid email address';
  return domainFault(email.slice(at + 1));
}

/** Why a domain name is refused; undefined when it is accepted. */
export function domainFault(domain: string): string | undefined {
  if (beyondAscii.test(domain)) {
    const ascii = domainToASCII(domain);
    return ascii && domainFault(ascii) === undefined
      ? `internationalized domains are accepted in their ASCII form: ${ascii}`
      : 'not a valid domain name';
  }
  const labels = domain.split('.');
  if (domain.length > 253 || labels.length < 2 || !labels.every((part) => label.test(part)))
    return 'not a valid domain name';
  if (/^\d+$/.test(labels.at(-1)!)) return 'not a valid domain name';
  return undefined;
}

/** The domain of a normalized address. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);
