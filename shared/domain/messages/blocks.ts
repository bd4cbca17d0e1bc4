/** The types of blocks that a column may contain. */
export const simpleBlockTypes = ['heading', 'text', 'button', 'image', 'divider', 'spacer', 'html'] as const;

/** Every alignment of a block. */
export const alignments = ['left', 'center', 'right'] as const;

/** Every font weight of a block. */
export const fontWeights = ['normal', 'bold'] as const;

/** What differs from a block's default look; lengths are pixels, colors `#rgb` or `#rrggbb`. */
export interface BlockStyle {
  color?: string | null;
  background_color?: string | null;
  align?: (typeof alignments)[number] | null;
  font_size?: number | null;
  font_weight?: (typeof fontWeights)[number] | null;
  border_radius?: number | null;
  /** For every side without its own padding. */
  padding?: number | null;
  padding_top?: number | null;
  padding_right?: number | null;
  padding_bottom?: number | null;
  padding_left?: number | null;
}

interface BlockData {
  heading: { text: string; level?: number | null };
  text: { text: string };
  button: { text: string; url: string };
  image: { src: string; alt: string; url?: string | null; width?: number | null };
  divider: object;
  spacer: { height?: number | null };
  html: { html: string };
  columns: { columns: { blocks: SimpleBlock[] }[] };
}

/** A block of one type. */
export interface BlockOf<Type extends keyof BlockData> {
  type: Type;
  data: BlockData[Type];
  style?: BlockStyle | null;
}

/** A block that a column may contain. */
export type SimpleBlock = {
  [Type in (typeof simpleBlockTypes)[number]]: BlockOf<Type>;
}[(typeof simpleBlockTypes)[number]];

/** A block of a message. */
export type Block = SimpleBlock | BlockOf<'columns'>;

/** The maximum number of blocks in a message, including those in columns. */
export const maxBlocks = 200;

/** The maximum number of columns side by side. */
export const maxColumns = 4;

/** The number of blocks in a message, including those in columns. */
export const countBlocks = (blocks: readonly Block[]): number =>
  blocks.reduce((count, block) => count + 1 + columnsOf(block).reduce((sum, { blocks }) => sum + blocks.length, 0), 0);

const columnsOf = (block: Block) => (block.type === 'columns' ? block.data.columns : []);

/** Matches every merge tag. */
export const mergeTag = /\{\{[^{}]*\}\}/g;

/** Why the address of a link or an image is refused; undefined when it is valid. Any part may be a merge tag. */
export function addressFault(url: string, schemes: readonly string[]): string | undefined {
  if (/^\s*\{\{[^{}]*\}\}/.test(url)) return undefined;
  const filled = url.trim().replaceAll(mergeTag, 'x');
  const scheme = URL.canParse(filled) ? new URL(filled).protocol.slice(0, -1) : '';
  return schemes.includes(scheme)
    ? undefined
    : `must begin with ${schemes.map((name) => `${name}:`).join(', ')} or a merge tag`;
}

/** The URL schemes of buttons and linked images. */
export const linkSchemes = ['https', 'http', 'mailto', 'tel', 'sms'] as const;

/** The URL schemes of image sources, which mail clients fetch. */
export const imageSchemes = ['https', 'http'] as const;
