const maxCharacters = 80;

/** A dot before a top-level domain: mail programs make a link of a domain name that stands in a text. */
const domainDot = /[.\u3002](?=[\p{L}\p{M}]{2})/gu;

/**
 * A name that a customer chose, as it may stand in a service message: without links, addresses and control characters,
 * on one line of at most 80 characters, and without the quotes that it is put in. The dot of a domain name becomes a
 * space. `otherwise` where nothing is left.
 */
export function serviceName(name: string, otherwise: string): string {
  const visible = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').replace(/[\p{Cf}\p{Co}\p{Cs}]/gu, '');
  const words = visible
    .split(/\s+/)
    .map(withoutLink)
    .join(' ')
    .replace(/["“”„‟«»]/g, "'");
  const characters = [...words.trim().replace(/ {2,}/g, ' ')];
  if (characters.length === 0) return otherwise;
  if (characters.length <= maxCharacters) return characters.join('');
  return `${characters
    .slice(0, maxCharacters - 1)
    .join('')
    .trimEnd()}…`;
}

/** Mail programs read wide and other forms of a character as the plain one. */
function withoutLink(word: string): string {
  const plain = word.normalize('NFKC');
  if (/:\/\/|.@.|(?<![\p{L}\p{N}])www\./iu.test(plain) || (plain.includes('/') && /[.\u3002]/.test(plain))) return '';
  const unlinked = plain.replace(domainDot, ' ');
  return unlinked === plain ? word : unlinked.split(' ').map(withoutLink).join(' ');
}
