/** Where a merged value is inserted, which decides how it is escaped. */
type Context = 'html' | 'text' | 'header';

/** A part of a compiled message that is filled in for each recipient. */
interface Slot {
  /** The name of a merge tag. */
  tag: string;
  /** Fixed text in place of a tag: what the template language would misread. */
  literal?: string;
  fallback: string;
  context: Context;
}

/** A message with `{{s0}}`, `{{s1}}` … in place of its slots. */
export interface CompiledMessage {
  subject: string;
  html: string | undefined;
  text: string | undefined;
  slots: readonly Slot[];
}

/** Reads a recipient's value of a merge tag. */
export type MergeValues = (tag: string) => unknown;

const inside = /^\s*([\p{L}\p{N}_.-]+)\s*(?:\|\s*default:\s*(?:"([^"]*)"|'([^']*)'|&quot;(.*?)&quot;)\s*)?$/u;

const tag = /\{\{([^{}]*)\}\}/;
const bracesAndBackslashes = /[\\{}]+/g;

/**
 * Compiles a message for the provider's template substitution, which escapes nothing: merge tags become slots, and so
 * does text that the template language would misread.
 */
export function compile(message: { subject: string; html?: string | null; text?: string | null }): CompiledMessage {
  const slots = new Map<string, Slot & { index: number }>();
  const place = (slot: Slot): string => {
    const name = JSON.stringify(slot);
    const known = slots.get(name) ?? { ...slot, index: slots.size };
    slots.set(name, known);
    return `{{s${known.index}}}`;
  };
  const literal = (text: string) => place({ tag: '', literal: text, fallback: '', context: 'text' });
  const value = (body: string, context: Context): string => {
    const [match, name = '', double, single, entity] = inside.exec(body) ?? [];
    if (match === undefined) return '';
    const fallback = double ?? single ?? entity ?? '';
    return place({ tag: name, fallback: context === 'html' ? decodeEntities(fallback) : fallback, context });
  };
  // A stray `{{` would begin a tag, and a brace or backslash that touches one would change its meaning.
  const protect = (text: string): string =>
    text.replace(bracesAndBackslashes, (run, at: number) =>
      run.includes('{{') || at === 0 || at + run.length === text.length ? literal(run) : run,
    );
  const fill = (source: string, context: Context): string =>
    source
      .split(tag)
      .map((piece, index) => (index % 2 === 0 ? protect(piece) : value(piece, context)))
      .join('');
  return {
    subject: fill(message.subject, 'header'),
    html: message.html ? fill(untrackUnsubscribe(message.html), 'html') : undefined,
    text: message.text ? fill(message.text, 'text') : undefined,
    slots: [...slots.values()],
  };
}

/** A message with its merge tags reduced to their names, so that quotes of a fallback do not end an attribute. */
export const bareTags = (source: string): string =>
  source
    .split(tag)
    .map((piece, index) => (index % 2 === 0 ? piece : bareTag(inside.exec(piece)?.[1])))
    .join('');

const bareTag = (name: string | undefined): string => (name === undefined ? '' : `{{${name}}}`);

/** Whether a message has the merge tag `{{unsubscribe_url}}`, with or without a fallback, outside comments. */
export const hasUnsubscribeTag = (body: string): boolean =>
  namesUnsubscribe(body.replace(/<!--[\s\S]*?(?:-->|$)/g, ''));

/** Text that looks like a merge tag and is none: it is sent unchanged, or empty. */
export const strayTags = (body: string): string[] =>
  (body.match(/\{\{[^{}]*(?:\}\}?)?/g) ?? []).filter((found) => {
    const [, content] = /^\{\{([^{}]*)\}\}$/.exec(found) ?? [];
    return content === undefined || !inside.test(content);
  });

const namesUnsubscribe = (text: string): boolean =>
  text.split(tag).some((piece, index) => index % 2 === 1 && inside.exec(piece)?.[1] === 'unsubscribe_url');

/** Keeps SES from tracking the unsubscribe link, which must lead straight to us. */
const untrackUnsubscribe = (html: string): string =>
  html.replace(/<a(?=\s)[^<>]*>/gi, (link) =>
    namesUnsubscribe(link) && !/ses:no-track/i.test(link) ? link.replace(/^<a/i, '$& ses:no-track') : link,
  );

/** The slot values of one recipient, each escaped for its context. */
export const slotValues = (compiled: CompiledMessage, values: MergeValues): Record<string, string> =>
  Object.fromEntries(compiled.slots.map((slot, index) => [`s${index}`, slotValue(slot, values)]));

/** The maximum of characters that values may add to a message: a tag can occur thousands of times. */
export const maxMergedCharacters = 1_000_000;

/** A compiled message with the values of one recipient; undefined when they make it too large. */
export function merged(
  compiled: CompiledMessage,
  values: MergeValues,
): { subject: string; html: string | undefined; text: string | undefined } | undefined {
  const slots = slotValues(compiled, values);
  let room = maxMergedCharacters;
  const fill = (part: string) =>
    part.replace(/\{\{(s\d+)\}\}/g, (_place, name: string) => {
      room -= slots[name]!.length;
      return room < 0 ? '' : slots[name]!;
    });
  const { subject, html, text } = compiled;
  const message = { subject: fill(subject), html: html && fill(html), text: text && fill(text) };
  return room < 0 ? undefined : message;
}

function slotValue(slot: Slot, values: MergeValues): string {
  if (slot.literal !== undefined) return slot.literal;
  const value = asText(values(slot.tag)) || slot.fallback;
  if (slot.context === 'html') return escapeHtml(value);
  return slot.context === 'header' ? headerSafe(value) : value;
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Escapes text for HTML content and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Escapes text for HTML; merge tags stay. */
export const escapeAroundTags = (text: string): string =>
  text
    .split(/(\{\{[^{}]*\}\})/)
    .map((piece, index) => (index % 2 === 0 ? escapeHtml(piece) : piece))
    .join('');

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }));

/** Decodes the numeric and the commonest named entities of HTML. */
export const decodeEntities = (html: string): string =>
  html.replace(/&(?:(\w+)|#(\d{1,6})|#x([\da-f]{1,5}));/gi, (whole, name?: string, decimal?: string, hex?: string) =>
    name === undefined
      ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
      : (entities.get(name) ?? whole),
  );

/** Text for a mail header: one line without control characters (RFC 5322, section 2.2). */
export function headerSafe(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
}

/** A contact's merge values: its own fields, and its metadata by `metadata.key` or `key`. */
export function contactValues(
  contact: { email: string; first_name?: string | null; last_name?: string | null; metadata?: Record<string, unknown> },
  extra: Record<string, string>,
): MergeValues {
  const own: Record<string, unknown> = {
    email: contact.email,
    first_name: contact.first_name,
    last_name: contact.last_name,
    ...extra,
  };
  const metadata = contact.metadata ?? {};
  const read = (from: Record<string, unknown>, key: string) => (Object.hasOwn(from, key) ? from[key] : undefined);
  return (tag) => {
    if (tag.startsWith('metadata.')) return read(metadata, tag.slice('metadata.'.length));
    return Object.hasOwn(own, tag) ? own[tag] : read(metadata, tag);
  };
}

/** The merge values of variables, where `a.b` also reads `b` of an object `a`. */
export function variableValues(variables: Record<string, unknown>, defaults: Record<string, string>): MergeValues {
  const inside = (from: unknown, key: string): unknown =>
    typeof from === 'object' && from !== null && Object.hasOwn(from, key)
      ? (from as Record<string, unknown>)[key]
      : undefined;
  return (tag) =>
    inside(variables, tag) ?? tag.split('.').reduce(inside, variables as unknown) ?? inside(defaults, tag);
}
