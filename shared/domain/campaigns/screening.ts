import { htmlToText } from 'html-to-text';
import { type Link, linkFindings, linksInText } from '../messages/link-findings.ts';

interface Node {
  data?: string;
  children?: Node[];
}

const textOf = ({ data, children = [] }: Node): string => data ?? children.map(textOf).join(' ');

/** The links of a message as a mail client finds them; undefined when elements are nested too deeply. */
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
    // The whole document: a browser also shows what follows the body.
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

/** Why a campaign's content needs a review (docs/api.md#campaigns); empty when it does not. */
export function contentFindings(content: { html_content?: string | null; plain_content?: string | null }): string[] {
  const links = linksOf(content.html_content ?? '');
  if (!links) return ['elements nested too deeply to be read'];
  return linkFindings([...links, ...linksInText(content.plain_content ?? '')]).map(({ text }) => text);
}
