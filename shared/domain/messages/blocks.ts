/** The kinds of blocks that stand on their own, in a message or in one of its columns. */
export const simpleBlockTypes = ['heading', 'text', 'button', 'image', 'divider', 'spacer', 'html'] as const;

/** How a block may be aligned. */
export const alignments = ['left', 'center', 'right'] as const;

/** How heavy its letters may be. */
export const fontWeights = ['normal', 'bold'] as const;

/** How a block looks, where it is not to look as usual; lengths are pixels, colors `#rgb` or `#rrggbb`. */
export interface BlockStyle {
  color?: string | null;
  background_color?: string | null;
  align?: (typeof alignments)[number] | null;
  font_size?: number | null;
  font_weight?: (typeof fontWeights)[number] | null;
  border_radius?: number | null;
  /** Around the block on every side, where a side has no padding of its own. */
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

/** A block that may stand in a column. */
export type SimpleBlock = {
  [Type in (typeof simpleBlockTypes)[number]]: BlockOf<Type>;
}[(typeof simpleBlockTypes)[number]];

/** A block of a message. */
export type Block = SimpleBlock | BlockOf<'columns'>;

/** Every block of a message, those in columns too. */
export const maxBlocks = 200;

/** Columns side by side. */
export const maxColumns = 4;

/** How many blocks a message is made of, those in columns counted. */
export function countBlocks(blocks: readonly Block[]): number {
  return blocks.reduce(
    (count, block) => count + 1 + columnsOf(block).reduce((sum, { blocks }) => sum + blocks.length, 0),
    0,
  );
}

const columnsOf = (block: Block) => (block.type === 'columns' ? block.data.columns : []);

/** A merge tag, wherever it stands. */
export const mergeTag = /\{\{[^{}]*\}\}/g;

/** Why a link or an image's address is refused; undefined when it can work in a mail. A merge tag may stand for any part, the whole of it too. */
export function addressFault(url: string, schemes: readonly string[]): string | undefined {
  if (/^\s*\{\{[^{}]*\}\}/.test(url)) return undefined;
  const filled = url.trim().replaceAll(mergeTag, 'x');
  const scheme = URL.canParse(filled) ? new URL(filled).protocol.slice(0, -1) : '';
  return schemes.includes(scheme)
    ? undefined
    : `must begin with ${schemes.map((name) => `${name}:`).join(', ')} or a merge tag`;
}

/** Where a button or an image may lead. */
export const linkSchemes = ['https', 'http', 'mailto', 'tel', 'sms'] as const;

/** Where an image may lie: mail clients fetch it. */
export const imageSchemes = ['https', 'http'] as const;
