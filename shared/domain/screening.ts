import { htmlToText } from 'html-to-text';

const rawIp = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i;
const hostInText = /(https?:\/\/|\bwww\.)?\b((?:[a-z0-9-]+\.)+([a-z]{2,24}))\b/gi;
const urlInText = /\bhttps?:\/\/[^\s<>"']+/gi;
/** Endings of file names that link texts have and hosts hardly ever; `report.pdf` and `notes.md` name no host. */
const fileEndings = new Set(
  (
    'pdf doc docx odt rtf txt md csv tsv xls xlsx ods ppt pptx odp key pages numbers zip gz tgz rar tar dmg exe msi apk ' +
    'jpg jpeg png gif webp svg bmp tiff heic ico mp3 mp4 mov avi wav webm mkv epub mobi ics vcf eml ' +
    'html htm xhtml php asp aspx jsp js mjs ts tsx jsx json xml yaml yml css py sql log bak'
  ).split(' '),
);
const shorteners = new Set([
  'bit.ly',
  'tinyurl.com',
  't.co',
  'goo.gl',
  'ow.ly',
  'is.gd',
  'buff.ly',
  'rebrand.ly',
  'cutt.ly',
  'rb.gy',
]);

interface Link {
  href: string;
  /** What a reader sees of it. */
  text: string;
}

interface Node {
  data?: string;
  children?: Node[];
}

const textOf = ({ data, children = [] }: Node): string => data ?? children.map(textOf).join(' ');

/** The links of a message as a mail reader finds them, by a parser, so that no odd markup hides one; undefined when nesting goes beyond the stack. */
function linksOf(html: string): Link[] | undefined {
  try {
    return collectLinks(html);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function collectLinks(html: string): Link[] {
  const links: Link[] = [];
  htmlToText(html, {
    // The whole document: a browser shows what follows the body, too.
    baseElements: { selectors: [] },
    formatters: {
      collect(element, walk, builder) {
        if (element.attribs.href) links.push({ href: element.attribs.href, text: textOf(element) });
        walk(element.children, builder);
      },
    },
    selectors: ['a', 'area'].map((selector) => ({ selector, format: 'collect' })),
  });
  return links;
}

const hostOf = (url: string): string | undefined => {
  try {
    return new URL(url.trim()).hostname.toLowerCase().replace(/^www\./, '');
  } catch {
    return undefined;
  }
};

/** The host that a link's text names first: an address in full, or a name whose ending is no file's; undefined where it names none. */
function hostShown(text: string): string | undefined {
  for (const [, address, name, ending] of text.matchAll(hostInText))
    if (address || !fileEndings.has(ending!.toLowerCase())) return name!.toLowerCase().replace(/^www\./, '');
  return undefined;
}

/** Addresses in plain text, which mail readers show as links. */
const linksInText = (text: string): Link[] => [...text.matchAll(urlInText)].map(([href]) => ({ href, text: '' }));

/** Why a campaign's content must wait for an operator (docs/api.md#campaigns); empty when it is clean. */
export function contentFindings(content: { html_content?: string | null; plain_content?: string | null }): string[] {
  const findings = new Set<string>();
  const links = linksOf(content.html_content ?? '');
  if (!links) return ['elements nested too deeply to be read'];
  for (const { href, text } of [...links, ...linksInText(content.plain_content ?? '')]) {
    const host = hostOf(href);
    if (!host) continue;
    if (rawIp.test(host)) findings.add(`a link to a raw IP address: ${host}`);
    if (shorteners.has(host)) findings.add(`a link through a URL shortener: ${host}`);
    const shown = hostShown(text);
    if (shown && shown !== host && !host.endsWith(`.${shown}`) && !shown.endsWith(`.${host}`))
      findings.add(`a link whose text names ${shown} but leads to ${host}`);
  }
  return [...findings];
}
