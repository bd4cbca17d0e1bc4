import { wordList } from './word-list.ts';

/** Elements that do not break the line. */
export const inlineElements = wordList(`
  a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup
  time tt u var wbr
`);

/** Whether an element with these attributes is hidden, with all in it. */
export function isHidden(attributes: Record<string, string>): boolean {
  const style = (attributes.style ?? '').toLowerCase();
  if (
    'hidden' in attributes ||
    /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|opacity\s*:\s*(?:0+(?:\.0*)?|\.0+)(?![.\d])/.test(
      style,
    )
  )
    return true;
  const colour = /(?:^|[;\s])color\s*:\s*([^;!]+)/.exec(style)?.[1]?.trim();
  const behind = /background(?:-color)?\s*:\s*([^;!]+)/.exec(style)?.[1]?.trim();
  return colour !== undefined && colour === behind;
}

/** Whether an element's text has a size of zero; undefined when its attributes set none. */
export function isSizeless({ style = '' }: Record<string, string>): boolean | undefined {
  if (!/font-size\s*:/i.test(style)) return undefined;
  return /font-size\s*:\s*(?:0+(?:\.0*)?|\.0+)(?![.\d])/i.test(style);
}
