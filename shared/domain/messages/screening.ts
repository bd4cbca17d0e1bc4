import { htmlToText } from 'html-to-text';
import { SendBlocked } from '../errors.ts';
import { type Link, linkFindings, linksInText } from './link-findings.ts';
import { bareTags, compile, merged } from './merge-tags.ts';
import { inlineElements, isHidden, isSizeless } from './visibility.ts';

interface Node {
  type: string;
  name?: string;
  attribs?: Record<string, string>;
  data?: string;
  children?: Node[];
}

/** The text of an element; words on both sides of an element that breaks the line are apart. */
function textOf({ type, name = '', data = '', children = [] }: Node, omit: (node: Node) => boolean): string {
  if (type === 'text') return data;
  const text = children.map((child) => (omit(child) ? '' : textOf(child, omit))).join('');
  return type !== 'tag' || inlineElements.has(name) ? text : ` ${text} `;
}

const isUnseen = ({ attribs = {} }: Node): boolean => isHidden(attribs) || isSizeless(attribs) === true;

/** The links of HTML, and what relative ones are relative to. */
interface Links {
  links: Link[];
  base?: string;
}

/** The links of a message as a mail client finds them; undefined when elements are nested too deeply. */
function linksOf(html: string): Links | undefined {
  try {
    return collectLinks(html);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function collectLinks(html: string): Links {
  const links: Link[] = [];
  let base: string | undefined;
  htmlToText(html, {
    // The whole document: a browser also shows what follows the body.
    baseElements: { selectors: [] },
    formatters: {
      collect(element, walk, builder) {
        const { href } = element.attribs;
        // With and without what seems hidden: a style sheet may show it after all.
        const texts = new Set([textOf(element, () => false), textOf(element, isUnseen)]);
        if (href) for (const text of texts) links.push({ href, text });
        if (element.name === 'base') base ??= href;
        walk(element.children, builder);
      },
    },
    selectors: ['a', 'area', 'base'].map((selector) => ({ selector, format: 'collect' })),
  });
  return { links, base };
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

/** More findings than these tell a reviewer nothing, and have to be stored. */
const maxFindings = 20;

/** Why content needs a review (docs/api.md#campaigns), 20 reasons at most; empty when it does not. */
export function contentFindings({ html_content, plain_content }: Content): string[] {
  const [html, text] = [html_content ?? '', plain_content ?? ''];
  // As it is written, and as it is sent to a contact without values: the fallback of a tag is content, too.
  const unfilled = merged(compile({ subject: '', html, text }), () => undefined);
  const read = [...new Set([bareTags(html), unfilled?.html ?? ''])].map(linksOf);
  if (read.includes(undefined)) return ['elements nested too deeply to be read'];
  const texts = { links: [bareTags(text), unfilled?.text ?? ''].flatMap(linksInText), base: undefined };
  const findings = [...read, texts].flatMap((found) => linkFindings(found!.links, found!.base));
  return [...new Set(findings.map((finding) => finding.text))].slice(0, maxFindings);
}
