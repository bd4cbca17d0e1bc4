import { badRequest } from './errors.ts';

/** The unrendered parts of a message; `literal` content has no slots. */
export interface Content {
  subject: string;
  html?: string;
  text?: string;
  literal: boolean;
}

/** Slot values of one message. */
export type TemplateData = Record<string, unknown>;

/** The rendered parts of a message. */
export interface Rendered {
  subject: string;
  html: string | null;
  text: string | null;
}

/** Content that is compiled once and rendered for many recipients. */
export interface Template {
  content: Content;
  /** The distinct variables in the content. */
  slots: readonly string[];
  subject(data: TemplateData): string;
  render(data: TemplateData): Rendered;
}

type Part = string | { slot: string };

// Handlebars: {{name}} and {{{name}}} alike (SES escapes neither), \{{ is a literal brace pair.
const MUSTACHE = /\\\{\{|\{\{\{\s*([^{}]*?)\s*\}\}\}|\{\{\s*([^{}]*?)\s*\}\}/g;
const NAME = /^[\p{L}\p{N}_$-]+$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Compiles content; throws BadRequestException for block helpers, paths, partials and comments. */
export function compile(content: Content): Template {
  const [subject, html, text] = [content.subject, content.html, content.text].map((part) =>
    part === undefined ? undefined : content.literal ? [part] : split(part),
  );
  const all = [subject, html, text].flatMap((parts) => parts ?? []);
  return {
    content,
    slots: [...new Set(all.flatMap((part) => (typeof part === 'string' ? [] : part.slot)))],
    subject: (data) => fill(subject!, data),
    render: (data) => ({
      subject: fill(subject!, data),
      html: html ? fill(html, data) : null,
      text: text ? fill(text, data) : null,
    }),
  };
}

/** The error when SES cannot render the template with this data; undefined when it can. */
export function renderingFault(template: Template, data: TemplateData): string | undefined {
  for (const slot of template.slots) {
    if (!Object.hasOwn(data, slot)) return `Attribute '${slot}' is not present in the rendering data.`;
  }
  return CONTROL.test(template.subject(data)) ? 'The rendered subject contains control characters.' : undefined;
}

function split(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(MUSTACHE)) {
    parts.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    const slot = match[1] ?? match[2];
    if (slot === undefined) parts.push('{{');
    else if (NAME.test(slot)) parts.push({ slot });
    else throw badRequest(`The local SES renders {{name}} only, not '${match[0]}'.`);
  }
  parts.push(text.slice(from));
  return parts;
}

function fill(parts: readonly Part[], data: TemplateData): string {
  let text = '';
  for (const part of parts) text += typeof part === 'string' ? part : (data[part.slot] ?? '');
  return text;
}
