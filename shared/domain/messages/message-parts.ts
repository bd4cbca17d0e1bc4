import { Parser } from 'htmlparser2';
import { ValidationError } from '../errors.ts';
import { type Link, linksInText } from './link-findings.ts';
import { inlineElements, isHidden, isSizeless } from './visibility.ts';

/** A run of visible text in the source. */
export interface TextRun {
  /** Offsets in the source, `end` exclusive. */
  start: number;
  end: number;
  /** The text, entities decoded. */
  text: string;
  /** Code or preformatted text, which is never reworded. */
  literal: boolean;
}

/** Text that reads as one: a paragraph, a cell, a button, a line. */
export interface TextBlock {
  runs: TextRun[];
  text: string;
}

/** A visible picture, not a tracking pixel. */
interface Picture {
  alt: string | undefined;
}

/** The parts of a message. */
export interface MessageParts {
  isHtml: boolean;
  blocks: TextBlock[];
  links: Link[];
  pictures: Picture[];
  /** Text that a reader does not see. */
  hiddenText: string;
  /** The number of each element. */
  elements: ReadonlyMap<string, number>;
  /** The number of attributes that run code, such as `onclick`. */
  handlers: number;
  /** Whether it redirects the reader by itself. */
  refreshes: boolean;
}

const unseen = new Set(['head', 'title', 'script', 'style', 'template', 'noscript', 'select', 'textarea', 'object']);
const literals = new Set(['code', 'pre', 'kbd', 'samp', 'var', 'tt']);

/** The maximum nesting of elements, which keeps parsing fast; mail programs give up earlier. */
const maxDepth = 1_000;

/** Whether a text is HTML rather than plain text. */
export const isHtml = (content: string): boolean =>
  /<(?:[a-z][a-z0-9]*(?:[\s/][^<>]*)?|\/[a-z][a-z0-9]*\s*|!doctype[^<>]*|!--)>?/i.test(content);

/**
 * Reads a message as a mail program does; its text blocks are in reading order. Throws 422 on `content` for elements
 * nested over a thousand deep.
 */
export const messageParts = (content: string): MessageParts =>
  isHtml(content) ? htmlParts(content) : plainParts(content);

function plainParts(content: string): MessageParts {
  const paragraphs = [...content.matchAll(/\S(?:[^\n]|\n(?![^\S\n]*\n))*/g)];
  const runs = paragraphs.map((match) => {
    const text = match[0].trimEnd();
    return { start: match.index, end: match.index + text.length, text, literal: false };
  });
  return {
    isHtml: false,
    blocks: runs.map((run) => ({ runs: [run], text: run.text })),
    links: linksInText(content),
    pictures: [],
    hiddenText: '',
    elements: new Map(),
    handlers: 0,
    refreshes: false,
  };
}

/** How an open element affects the text in it. */
interface Open {
  unseen: boolean;
  hidden: boolean;
  /** A font size of zero; an element inside may set another. */
  sizeless: boolean;
  literal: boolean;
  link: Link | undefined;
}

/** Collects runs of text into blocks; runs that touch become one. */
class TextBlocks {
  readonly blocks: TextBlock[] = [];
  #block: TextBlock = { runs: [], text: '' };

  add(run: TextRun): void {
    const last = this.#block.runs.at(-1);
    if (last && last.end === run.start && last.literal === run.literal) {
      last.end = run.end;
      last.text += run.text;
    } else this.#block.runs.push(run);
    this.#block.text += run.text;
  }

  endBlock(): void {
    if (this.#block.text.trim() !== '') this.blocks.push(this.#block);
    this.#block = { runs: [], text: '' };
  }
}

function htmlParts(content: string): MessageParts {
  const texts = new TextBlocks();
  const links: Link[] = [];
  const pictures: Picture[] = [];
  const elements = new Map<string, number>();
  const open: Open[] = [{ unseen: false, hidden: false, sizeless: false, literal: false, link: undefined }];
  let hiddenText = '';
  let handlers = 0;
  let refreshes = false;
  const breakLine = () => {
    texts.endBlock();
    const { link } = open.at(-1)!;
    if (link?.text) link.text += ' ';
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (open.length > maxDepth) throw new ValidationError({ content: ['elements nested too deeply to be read'] });
      elements.set(name, (elements.get(name) ?? 0) + 1);
      handlers += Object.keys(attributes).filter((key) => /^on[a-z]+$/.test(key)).length;
      if (name === 'meta' && /^refresh$/i.test(attributes['http-equiv'] ?? '')) refreshes = true;
      const link = linkOf(name, attributes);
      if (link) links.push(link);
      if (name === 'img' && !isPixel(attributes)) pictures.push({ alt: attributes.alt });
      if (!inlineElements.has(name)) breakLine();
      open.push(within(open.at(-1)!, name, attributes, link));
    },
    onclosetag(name) {
      if (!inlineElements.has(name)) breakLine();
      open.pop();
    },
    ontext(text) {
      const state = open.at(-1)!;
      if (state.unseen) return;
      if (state.hidden || state.sizeless) {
        hiddenText += text;
        return;
      }
      if (state.link) state.link.text += text;
      texts.add({ start: parser.startIndex, end: parser.endIndex + 1, text, literal: state.literal });
    },
  });
  parser.write(content);
  parser.end();
  texts.endBlock();
  const { blocks } = texts;
  return { isHtml: true, blocks, links, pictures, hiddenText: hiddenText.trim(), elements, handlers, refreshes };
}

const linkOf = (name: string, { href }: Record<string, string>): Link | undefined =>
  (name === 'a' || name === 'area') && href !== undefined ? { href: href.trim(), text: '' } : undefined;

function within(around: Open, name: string, attributes: Record<string, string>, link: Link | undefined): Open {
  return {
    unseen: around.unseen || unseen.has(name),
    hidden: around.hidden || isHidden(attributes),
    sizeless: isSizeless(attributes) ?? around.sizeless,
    literal: around.literal || literals.has(name),
    link: link ?? around.link,
  };
}

function isPixel({ width, height }: Record<string, string>): boolean {
  const small = (size: string | undefined) => size !== undefined && Number.parseInt(size, 10) <= 2;
  return small(width) && small(height);
}
