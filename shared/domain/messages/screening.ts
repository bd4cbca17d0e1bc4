import { htmlToText } from 'html-to-text';
import { SendBlocked } from '../errors.ts';
import { ambiguousMarkup, hasTagInMarkup, isAmbiguous } from './ambiguous-markup.ts';
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
  // The text of a link within a link is its own: each text is read once.
  const own = children.filter((child) => !(child.name === 'a' && child.attribs?.href) && !omit(child));
  const text = own.map((child) => textOf(child, omit)).join('');
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

/** The elements that lead somewhere, with those of Outlook's drawings; `abbr` and others lead nowhere. */
const linking = ['a', 'area', 'base', 'form', 'button', 'input', 'v\\:roundrect', 'v\\:rect', 'v\\:shape'];

function collectLinks(html: string): Links {
  const links: Link[] = [];
  let base: string | undefined;
  htmlToText(html, {
    // The whole document: a browser also shows what follows the body.
    baseElements: { selectors: [] },
    formatters: {
      collect(element, walk, builder) {
        const { href, 'xlink:href': xlink, action, formaction } = element.attribs;
        if (href && element.name === 'a') {
          // With and without what seems hidden: a style sheet may show it after all.
          const texts = new Set([textOf(element, () => false), textOf(element, isUnseen)]);
          for (const text of texts) links.push({ href, text });
        } else for (const to of [href, xlink, action, formaction]) if (to) links.push({ href: to, text: '' });
        if (element.name === 'base') base ??= href;
        walk(element.children, builder);
      },
    },
    selectors: linking.map((selector) => ({ selector, format: 'collect' })),
  });
  return { links, base };
}

/** The content of a message. */
interface Content {
  html_content?: string | null;
  plain_content?: string | null;
}

/** Whether the tags of a content are merged: what looks like one then is text. */
type State = 'merged' | 'unmerged';

/** Throws 422 `send_blocked` with the findings, for content that nobody reviews before it is sent. */
export function checkContent(content: Content, state?: State): void {
  const findings = contentFindings(content, state);
  if (findings.length > 0) throw new SendBlocked(['abuse_screening_failed'], findings);
}

/** Why content with a merge tag in markup needs a review. */
const tagInMarkup = 'a merge tag in markup outside quotes, where a value can make a link of its own';

/** More findings than these tell a reviewer nothing, and have to be stored. */
const maxFindings = 20;

/** Why content needs a review (docs/api.md#campaigns), 20 reasons at most; empty when it does not. */
export function contentFindings({ html_content, plain_content }: Content, state: State = 'unmerged'): string[] {
  const [html, text] = [html_content ?? '', plain_content ?? ''];
  const forms = state === 'merged' ? [{ html, text }] : formsOf(html, text);
  const readings = [...new Set(forms.map((form) => form.html).flatMap(asMailClients))];
  const read = readings.map(linksOf);
  if (read.includes(undefined)) return ['elements nested too deeply to be read'];
  const texts = { links: forms.flatMap((form) => linksInText(form.text)), base: undefined };
  const findings = [...read, texts].flatMap((found) => linkFindings(found!.links, found!.base));
  const unclear = readings.some(isAmbiguous) ? [ambiguousMarkup] : [];
  const unquoted = state === 'unmerged' && readings.some(hasTagInMarkup) ? [tagInMarkup] : [];
  const unread = state === 'unmerged' && isOnlyMerged(text) ? ['a text that only merge tags make'] : [];
  return [...new Set([...unclear, ...unquoted, ...unread, ...findings.map((finding) => finding.text)])].slice(
    0,
    maxFindings,
  );
}

/** Whether merge tags write all of a text, so that nobody has seen what it says. */
const isOnlyMerged = (text: string): boolean =>
  /\{\{(?!\s*unsubscribe_url\s*(?:\||\}\}))/.test(text) && !/[\p{L}\p{N}]/u.test(text.replace(/\{\{[^{}]*\}\}/g, ''));

/** As it is written, and as it is sent to a contact without values: the fallback of a tag is content, too. */
function formsOf(html: string, text: string): { html: string; text: string }[] {
  const unfilled = merged(compile({ subject: '', html, text }), () => undefined);
  return [
    { html: bareTags(html), text: bareTags(text) },
    { html: unfilled?.html ?? '', text: unfilled?.text ?? '' },
  ];
}

/** HTML as most mail programs read it, and as Outlook does, which shows what some comments hold. */
const asMailClients = (html: string): string[] => [
  html,
  html.replace(/<!--\[if [^\]<>]{0,99}\]>|<!\[endif\]-->/gi, ''),
];
