import type { Engine } from 'mrml';
import { type Block, type BlockOf, type BlockStyle, mergeTag, type SimpleBlock } from './blocks.ts';
import { darkened, isLight, lightened, mostReadable } from './colors.ts';
import { escapeAroundTags } from './merge-tags.ts';
import { accent, dark, font, headingSizes, light, styles } from './message-look.ts';

/** What a message is, beside its blocks. */
export interface Look {
  /** Of its words, for screen readers; without one they guess. */
  lang?: string;
  /** What inbox lists show after the subject. */
  preview?: string;
}

let engine: Promise<Engine> | undefined;

/** Renders blocks to the HTML of a message: responsive, readable in the dark, merge tags as they were. */
export async function renderBlocks(blocks: readonly Block[], look: Look = {}): Promise<string> {
  // A megabyte that only they need who render.
  engine ??= import('mrml').then(({ Engine }) => newEngine(new Engine()));
  const page = new Page();
  const result = (await engine).toHtml(page.mjml(blocks, look));
  if (result.type === 'error') throw new Error(`MJML that we made was refused: ${result.message}`);
  return page.filled(result.content);
}

function newEngine(engine: Engine): Engine {
  // MJML would fetch fonts that it knows from the web: a reader's mail program would tell where the mail was opened.
  engine.setRenderOptions({ disableComments: false, socialIconOrigin: null, fonts: {} });
  return engine;
}

type Attributes = Record<string, string | number | undefined>;

/** What surrounds a block: a color that fills it, when one does, and its padding where it has none of its own. */
interface Surroundings {
  background: string | undefined;
  sides: { x: number; className: string };
}

const ownSection: Surroundings = { background: undefined, sides: { x: 32, className: 'mw-edge' } };
const inColumn = { x: 16, className: 'mw-inner' };

/** Merge tags stay readable; their fallbacks lose what would end a tag of HTML, which merging gives back. */
const escaped = (text: string) =>
  escapeAroundTags(text.replaceAll(mergeTag, (tag) => tag.replace(/[&<>]/g, (sign) => entities[sign]!)));
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const classNames = (names: readonly string[]) => names.filter(Boolean).join(' ') || undefined;

const given = (value: string | null | undefined) => (value ? value.toLowerCase() : undefined);
const px = (length: number) => `${length}px`;

/**
 * One message on its way to HTML. What its authors wrote never passes through MJML: it is put by and takes its place,
 * escaped for it, when the layout is done, so that nothing in it can be taken for markup or be changed.
 */
class Page {
  readonly #written: string[] = [];
  readonly #darkRules = new Map<string, string>();

  mjml(blocks: readonly Block[], { lang, preview }: Look): string {
    const body = this.#sections(blocks);
    const title = blocks.find((block): block is BlockOf<'heading'> => block.type === 'heading')?.data.text;
    return `<mjml${attributes({ lang })}><mj-head>
      ${title === undefined ? '' : `<mj-title>${this.#attribute(title)}</mj-title>`}
      ${preview === undefined ? '' : `<mj-preview>${this.#text(preview)}</mj-preview>`}
      <mj-attributes><mj-all font-family="${font}" /></mj-attributes>
      <mj-style>${styles([...this.#darkRules.values()])}</mj-style>
      <mj-raw><meta name="color-scheme" content="light dark" /><meta name="supported-color-schemes" content="light dark" /></mj-raw>
      </mj-head><mj-body width="600px" css-class="mw-page" background-color="${light.page}">
      <mj-wrapper css-class="mw-card" background-color="${light.card}" border-radius="12px" padding="${fills(blocks[0]) ? 0 : '16px'} 0 ${fills(blocks.at(-1)) ? 0 : '16px'}">${body}</mj-wrapper>
      </mj-body></mjml>`;
  }

  /** The HTML that MJML made, with what the authors wrote. */
  filled(html: string): string {
    return html.replace(/mwslot(\d+)z/g, (_all, index: string) => this.#written[Number(index)] ?? '');
  }

  /** Columns are a section each; blocks between them share one. */
  #sections(blocks: readonly Block[]): string {
    let mjml = '';
    let stacked = '';
    const flush = () => {
      if (stacked) mjml += `<mj-section padding="0"><mj-column>${stacked}</mj-column></mj-section>`;
      stacked = '';
    };
    for (const block of blocks) {
      if (block.type !== 'columns') stacked += this.#block(block, ownSection);
      else {
        flush();
        mjml += this.#columns(block);
      }
    }
    flush();
    return mjml;
  }

  #columns({ data, style }: BlockOf<'columns'>): string {
    const background = given(style?.background_color);
    const columns = data.columns.map(
      ({ blocks }) =>
        `<mj-column vertical-align="top">${blocks.map((block) => this.#block(block, { background, sides: inColumn })).join('')}</mj-column>`,
    );
    const section = {
      'css-class': classNames([this.#backgroundInTheDark(background)]),
      'background-color': background,
      ...radius(style),
      ...padding(style, { y: 8, x: 16 }),
    };
    return `<mj-section${attributes(section)}>${columns.join('')}</mj-section>`;
  }

  #block(block: SimpleBlock, around: Surroundings): string {
    switch (block.type) {
      case 'heading':
        return this.#heading(block, around);
      case 'text':
        return this.#words(block.style, around, { size: 16, height: '1.5' }, this.#paragraphs(block.data.text));
      case 'html':
        return this.#words(block.style, around, { size: 16, height: '1.5' }, this.#put(block.data.html));
      case 'button':
        return this.#button(block, around);
      case 'image':
        return this.#image(block, around);
      case 'divider': {
        const color = given(block.style?.color);
        const line = { 'border-color': color ?? light.line, 'border-width': '1px' };
        return `<mj-divider${attributes({ ...this.#box(block.style, around, 12, color ? '' : 'mw-line'), ...line })} />`;
      }
      case 'spacer': {
        const background = given(block.style?.background_color);
        const spacer = {
          height: px(block.data.height ?? 24),
          'container-background-color': background,
          'css-class': classNames([this.#backgroundInTheDark(background)]),
        };
        return `<mj-spacer${attributes(spacer)} />`;
      }
    }
  }

  #heading({ data, style }: BlockOf<'heading'>, around: Surroundings): string {
    const level = data.level ?? 2;
    const looks = 'margin:0;font-size:inherit;font-weight:inherit;line-height:inherit;color:inherit';
    const heading = `<h${level} style="${looks}">${this.#text(data.text)}</h${level}>`;
    return this.#words(
      { font_weight: 'bold', ...present(style) },
      around,
      { size: headingSizes[level - 1]!, height: '1.25' },
      heading,
    );
  }

  /** Text of any kind: it has its color from its author, else from what it stands on, else from the reader's mode. */
  #words(
    style: BlockStyle | null | undefined,
    around: Surroundings,
    by: { size: number; height: string },
    content: string,
  ): string {
    const own = given(style?.color);
    const background = given(style?.background_color) ?? around.background;
    const color = own ?? (background ? mostReadable(background, [light.text, light.card]) : light.text);
    const className = background || own ? `mw-own ${this.#textInTheDark(color, background)}` : 'mw-text';
    const text = {
      ...this.#box(style, around, 8, className),
      color,
      align: style?.align ?? undefined,
      'font-size': px(style?.font_size ?? by.size),
      'font-weight': style?.font_weight ?? undefined,
      'line-height': by.height,
    };
    return `<mj-text${attributes(text)}>${content}</mj-text>`;
  }

  #button({ data, style }: BlockOf<'button'>, around: Surroundings): string {
    const background = given(style?.background_color) ?? accent;
    const button = {
      ...this.#box({ ...style, background_color: null, border_radius: null }, around, 12),
      href: this.#attribute(data.url.trim()),
      'background-color': background,
      color: given(style?.color) ?? mostReadable(background, [light.card, light.text]),
      align: style?.align ?? 'left',
      'font-size': px(style?.font_size ?? 16),
      'font-weight': style?.font_weight ?? 'bold',
      'line-height': '1.25',
      'inner-padding': '14px 28px',
      'border-radius': px(style?.border_radius ?? 8),
    };
    return `<mj-button${attributes(button)}>${this.#text(data.text)}</mj-button>`;
  }

  #image({ data, style }: BlockOf<'image'>, around: Surroundings): string {
    const image = {
      ...this.#box(style, around, 8),
      src: this.#attribute(data.src.trim()),
      alt: this.#attribute(data.alt),
      href: data.url ? this.#attribute(data.url.trim()) : undefined,
      width: data.width ? px(data.width) : undefined,
      align: style?.align ?? undefined,
    };
    return `<mj-image${attributes(image)} />`;
  }

  /** The box of a block: its background, corners and padding. */
  #box(style: BlockStyle | null | undefined, { sides }: Surroundings, y: number, className = ''): Attributes {
    const usual = style?.padding ?? style?.padding_left ?? style?.padding_right;
    const background = given(style?.background_color);
    const classes = [
      className,
      typeof usual === 'number' ? '' : sides.className,
      this.#backgroundInTheDark(background),
    ];
    return {
      'css-class': classNames(classes),
      'container-background-color': background,
      ...radius(style),
      ...padding(style, { y, x: sides.x }),
    };
  }

  /** The class of text whose color was chosen for a light card, or for a background of its own. */
  #textInTheDark(color: string, background: string | undefined): string {
    if (background && !isLight(background)) return '';
    const name = `mw-${[color, ...(background ? [background] : [])].map((part) => part.slice(1)).join('-on-')}`;
    const behind = background
      ? { light: background, dark: darkened(background) }
      : { light: light.card, dark: dark.card };
    const found = lightened(color, behind);
    this.#darkRules.set(name, `.${name} > div { color: ${found} !important; }`);
    return name;
  }

  /** The class of a background that would glare in the dark. */
  #backgroundInTheDark(background: string | undefined): string {
    if (!background || !isLight(background)) return '';
    const name = `mw-bg-${background.slice(1)}`;
    this.#darkRules.set(name, `.${name}, .${name} > table { background-color: ${darkened(background)} !important; }`);
    return name;
  }

  #paragraphs(text: string): string {
    const parts = text.replaceAll(/\r\n?/g, '\n').split(/\n{2,}/);
    const breaks = (part: string) => this.#text(part, (html) => html.replaceAll('\n', '<br>'));
    if (parts.length === 1) return breaks(text);
    return parts.map((part, index) => `<p style="margin:${index === 0 ? 0 : '16px'} 0 0">${breaks(part)}</p>`).join('');
  }

  #text(text: string, finish = (html: string) => html): string {
    return this.#put(finish(escaped(text)));
  }

  #attribute(text: string): string {
    return this.#put(escaped(text).replaceAll('"', '&quot;'));
  }

  #put(html: string): string {
    return `mwslot${this.#written.push(html) - 1}z`;
  }
}

/** Whether a block has a color of its own, which then reaches the card's edge. */
const fills = (block: Block | undefined) => Boolean(block && block.type !== 'button' && block.style?.background_color);

const present = (style: BlockStyle | null | undefined): BlockStyle =>
  Object.fromEntries(Object.entries(style ?? {}).filter(([, value]) => value !== null && value !== undefined));

const radius = (style: BlockStyle | null | undefined): Attributes => ({
  'border-radius': typeof style?.border_radius === 'number' ? px(style.border_radius) : undefined,
});

function padding(style: BlockStyle | null | undefined, usual: { x: number; y: number }): Attributes {
  const side = (own: number | null | undefined, otherwise: number) => px(own ?? style?.padding ?? otherwise);
  const top = side(style?.padding_top, usual.y);
  const right = side(style?.padding_right, usual.x);
  const bottom = side(style?.padding_bottom, usual.y);
  const left = side(style?.padding_left, usual.x);
  return { padding: [top, right, bottom, left].join(' ') };
}

/** MJML's attributes; what is undefined keeps MJML's own default. */
function attributes(of: Attributes): string {
  return Object.entries(of)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${value}"`]))
    .join('');
}
