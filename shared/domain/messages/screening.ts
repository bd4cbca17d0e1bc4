import { htmlToText } from 'html-to-text';
import { SendBlocked } from '../errors.ts';
import { type Link, linkFindings, linksInText } from './link-findings.ts';

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

/** The content of a message. */
interface Content {
  html_content?: string | null;
  plain_content?: string | null;
}

/** Throws 422 `send_blocked` with the findings, for content that nobody reviews before it is sent. */
export function checkContent(content: Content): void {
  const findings = contentFindings(content);
  if (findings.length > 0) throw new SendBlocked(['abuse_screening_failed'], findings);
}

/** Why content needs a review (docs/api.md#campaigns); empty when it does not. */
export function contentFindings(content: Content): string[] {
  const links = linksOf(content.html_content ?? '');
  if (!links) return ['elements nested too deeply to be read'];
  return linkFindings([...links, ...linksInText(content.plain_content ?? '')]).map(({ text }) => text);
}
