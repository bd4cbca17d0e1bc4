import type { BlockStyle } from './blocks.ts';

/** Attributes of an MJML element; an undefined one keeps MJML's default. */
export type Attributes = Record<string, string | number | undefined>;

/** A length in pixels. */
export const px = (length: number): string => `${length}px`;

/** Class names without empty ones; undefined when none is left. */
export const classNames = (names: readonly string[]) => names.filter(Boolean).join(' ') || undefined;

/** The corners of a block; undefined for square ones. */
export const radius = (style: BlockStyle | null | undefined): Attributes => ({
  'border-radius': typeof style?.border_radius === 'number' ? px(style.border_radius) : undefined,
});

/** The padding of a block: each side's own, else the block's, else the usual one. */
export function padding(style: BlockStyle | null | undefined, usual: { x: number; y: number }): Attributes {
  const side = (own: number | null | undefined, otherwise: number) => px(own ?? style?.padding ?? otherwise);
  const top = side(style?.padding_top, usual.y);
  const right = side(style?.padding_right, usual.x);
  const bottom = side(style?.padding_bottom, usual.y);
  const left = side(style?.padding_left, usual.x);
  return { padding: [top, right, bottom, left].join(' ') };
}

/** The source text of attributes. */
export const attributes = (of: Attributes): string =>
  Object.entries(of)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${value}"`]))
    .join('');
