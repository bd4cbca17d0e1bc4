import { badRequest } from './errors.ts';

/** The parts of a message as they were sent; `literal` content has no slots. */
export interface Content {
  subject: string;
  html?: string;
  text?: string;
  literal: boolean;
}

/** Slot values of one message. */
export type TemplateData = Record<string, unknown>;

/** A message's parts with its slots filled in. */
export interface Rendered {
  subject: string;
  html: string | null;
  text: string | null;
}

/** Content compiled once and rendered for many recipients. */
export interface Template {
  content: Content;
  /** Every variable the content names, once. */
  slots: readonly string[];
  subject(data: TemplateData): string;
  render(data: TemplateData): Rendered;
}

type Part = string | { slot: string };

// Handlebars: {{name}} and {{{name}}} alike (SES escapes neither), \{{ is a literal brace pair.
const MUSTACHE = /\\\{\{|\{\{\{\s*([^{}]*?)\s*\}\}\}|\{\{\s*([^{}]*?)\s*\}\}/g;
const NAME = /^[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+)*$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Compiles content; block helpers, partials and comments are a 400 that says so. */
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

/** Why SES could not render the template with this data; undefined when it can. */
export function renderingFault(template: Template, data: TemplateData): string | undefined {
  for (const slot of template.slots) {
    if (lookUp(data, slot) === undefined) return `Attribute '${slot}' is not present in the rendering data.`;
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
  for (const part of parts) text += typeof part === 'string' ? part : (lookUp(data, part.slot) ?? '');
  return text;
}

function lookUp(data: TemplateData, slot: string): unknown {
  if (Object.hasOwn(data, slot)) return data[slot] ?? '';
  let value: unknown = data;
  for (const step of slot.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined;
    value = (value as TemplateData)[step];
  }
  return value ?? '';
}
