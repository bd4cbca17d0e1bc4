import { wordList } from './word-list.ts';

/** A problem with a link. */
export interface LinkFinding {
  kind: 'raw_ip' | 'shortener' | 'mismatch';
  text: string;
}

/** A link of a message. */
export interface Link {
  href: string;
  /** The visible text. */
  text: string;
}

const rawIp = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i;
// Bounded as names are (RFC 1035): without bounds a long text would be scanned again from each of its words.
const hostInText = /(?<![\w-]|[\w-]\.)(https?:\/\/|www\.)?((?:[a-z0-9-]{1,63}\.){1,126}([a-z]{2,24}))\b/gi;
const urlInText = /\bhttps?:\/\/[^\s<>"']+/gi;
/** Endings that belong to file names rather than to hosts: `report.pdf` and `notes.md` name no host. */
const fileEndings = wordList(`
  pdf doc docx odt rtf txt md csv tsv xls xlsx ods ppt pptx odp key pages numbers zip gz tgz rar tar dmg exe msi apk
  jpg jpeg png gif webp svg bmp tiff heic ico mp3 mp4 mov avi wav webm mkv epub mobi ics vcf eml html htm xhtml php
  asp aspx jsp js mjs ts tsx jsx json xml yaml yml css py sql log bak
`);
const shorteners = wordList('bit.ly tinyurl.com t.co goo.gl ow.ly is.gd buff.ly rebrand.ly cutt.ly rb.gy');

const hostOf = (url: string): string | undefined => {
  try {
    return new URL(url.trim()).hostname.toLowerCase().replace(/^www\./, '');
  } catch {
    return undefined;
  }
};

/** The first host that a link's text names, not counting file names; undefined when it names none. */
function hostShown(text: string): string | undefined {
  for (const [, address, name, ending] of text.matchAll(hostInText))
    if (address || !fileEndings.has(ending!.toLowerCase())) return name!.toLowerCase().replace(/^www\./, '');
  return undefined;
}

/** Addresses in plain text, which mail readers show as links. */
export const linksInText = (text: string): Link[] =>
  [...text.matchAll(urlInText)].map(([href]) => ({ href, text: '' }));

/** The links that hide where they lead; each finding once. */
export function linkFindings(links: readonly Link[]): LinkFinding[] {
  const findings = new Map<string, LinkFinding>();
  const add = (kind: LinkFinding['kind'], text: string) => findings.set(text, { kind, text });
  for (const { href, text } of links) {
    const host = hostOf(href);
    if (!host) continue;
    if (rawIp.test(host)) add('raw_ip', `a link to a raw IP address: ${host}`);
    if (shorteners.has(host)) add('shortener', `a link through a URL shortener: ${host}`);
    const shown = hostShown(text);
    if (shown && shown !== host && !host.endsWith(`.${shown}`) && !shown.endsWith(`.${host}`))
      add('mismatch', `a link whose text names ${shown} but leads to ${host}`);
  }
  return [...findings.values()];
}
