import type { Block, BlockOf, BlockStyle, SimpleBlock } from '../blocks.ts';
import { font } from '../message-look.ts';

/** The color of secondary text. */
export const quiet = '#55606e';

/** The style of layout cells, into which some mail programs do not inherit the font. */
export const cell = `font-family:${font};font-size:16px;line-height:24px;`;

const block = <Type extends SimpleBlock['type']>(type: Type, data: BlockOf<Type>['data'], style?: BlockStyle) =>
  ({ type, data, style }) as SimpleBlock;

/** A heading block. */
export const heading = (level: number, text: string, style?: BlockStyle) => block('heading', { text, level }, style);

/** A text block. */
export const text = (text: string, style?: BlockStyle) => block('text', { text }, style);

/** An HTML block. */
export const html = (html: string, style?: BlockStyle) => block('html', { html }, style);

/** A button block. */
export const button = (text: string, url: string, style: BlockStyle) => block('button', { text, url }, style);

/** Columns side by side. */
export const columns = (columns: readonly SimpleBlock[][], style?: BlockStyle): Block => ({
  type: 'columns',
  data: { columns: columns.map((blocks) => ({ blocks })) },
  style,
});

/** The line at the top with the sender's name. */
export function masthead(accent: string): SimpleBlock {
  const mark =
    'display:inline-block;width:14px;height:14px;border-radius:4px;line-height:14px;vertical-align:-2px;' +
    `background-color:${accent}`;
  const line = `<span style="${mark}">&#8203;</span>&nbsp; <strong>Your Company</strong>`;
  return html(line, { padding_top: 16, padding_bottom: 16 });
}

/** A short line in capitals above a heading. */
export function eyebrow(words: string, style: BlockStyle): SimpleBlock {
  const line = `<span style="letter-spacing:1.5px;text-transform:uppercase">${words}</span>`;
  return html(line, { font_size: 13, font_weight: 'bold', padding_bottom: 0, ...style });
}

/** The end of every message: why it was sent, the unsubscribe link and the sender's postal address. */
export const closing = (why: string): Block[] => [
  { type: 'divider', data: {}, style: { padding_top: 24, padding_bottom: 16 } },
  html(
    `${why}<br><a href="{{unsubscribe_url}}">Unsubscribe</a><br><br>` +
      'Your Company, 123 Example Street, 10000 Example City',
    { color: quiet, font_size: 13, padding_bottom: 16 },
  ),
];

/** A layout table as wide as its container. */
export const layout = (rows: string): string =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tbody>${rows}</tbody></table>`;

/** Rows of a sign, a title and a text. */
export function rows(
  sign: (index: number) => string,
  items: readonly (readonly [title: string, text: string])[],
): SimpleBlock {
  const row = ([title, words]: readonly [string, string], index: number) =>
    `<tr><td width="48" valign="top" style="${cell}padding:8px 0">${sign(index)}</td>` +
    `<td valign="top" style="${cell}padding:8px 0"><strong>${title}</strong><br>${words}</td></tr>`;
  return html(layout(items.map(row).join('')));
}

/** A small disc with one character. */
export const disc = (content: string, color: string, background: string) =>
  `<div style="width:32px;height:32px;border-radius:16px;background-color:${background};color:${color};` +
  `font-size:15px;font-weight:bold;line-height:32px;text-align:center">${content}</div>`;
