import { bareTags, decodeEntities } from './merge-tags.ts';

/** The links of a message, whose merge tags each recipient's values replace. */
export interface LinkTemplates {
  /** Those without merge tags. */
  fixed: ReadonlySet<string>;
  /** Those with, the most specific first, and the text around their tags. */
  merged: readonly { url: string; around: readonly string[] }[];
}

const inHtml = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*))/gi;
const inText = /\bhttps?:\/\/[^\s<>"]+/gi;
const mergeTag = /\{\{[^{}]*\}\}/;
/** More links with merge tags than a message can have tracked are not looked through at each click. */
const maxMerged = 500;

/** The links of a message with their merge tags, reduced to names: `https://shop.example/?u={{email}}`. */
export function linkTemplates(html: string | null | undefined, text: string | null | undefined): LinkTemplates {
  const urls = new Set<string>();
  for (const [, double, single, bare] of bareTags(html ?? '').matchAll(inHtml))
    urls.add(decodeEntities(double ?? single ?? bare ?? '').trim());
  for (const [url] of bareTags(text ?? '').matchAll(inText)) urls.add(url);
  const all = [...urls].filter((url) => !url.includes('{{unsubscribe_url}}'));
  const merged = all
    .map((url) => ({ url, around: url.split(mergeTag) }))
    .filter(({ around }) => around.length > 1)
    .sort((a, b) => fixedLength(b.around) - fixedLength(a.around));
  return { fixed: new Set(all.filter((url) => !mergeTag.test(url))), merged: merged.slice(0, maxMerged) };
}

const fixedLength = (around: readonly string[]): number => around.join('').length;

/**
 * The link of a message that a clicked one was, with its merge tags, so that no recipient's values are in it; one that
 * is not in the message without what is most often a recipient's: query, fragment, and a path that names an address.
 */
export function templateOf(url: string, { fixed, merged }: LinkTemplates): string {
  if (fixed.has(url)) return url;
  const found = merged.find(({ around }) => fits(url, around));
  if (found) return found.url;
  const [place = ''] = url.split(/[?#]/, 1);
  return /@|%40/.test(place) ? (URL.parse(place)?.origin ?? '') : place;
}

/** Whether a URL has the texts around merge tags in their order; in linear time: the first place of each will do. */
function fits(url: string, around: readonly string[]): boolean {
  const [first, last] = [around[0]!, around.at(-1)!];
  if (!url.startsWith(first) || !url.endsWith(last)) return false;
  let at = first.length;
  for (const text of around.slice(1, -1)) {
    const found = url.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  return at + last.length <= url.length;
}
