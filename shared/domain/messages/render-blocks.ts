import type { Engine } from 'mrml';
import { type Block, type BlockOf, type BlockStyle, mergeTag, type SimpleBlock } from './blocks.ts';
import { mostReadable } from './colors.ts';
import { DarkRules } from './dark-rules.ts';
import { escapeAroundTags } from './merge-tags.ts';
import { accent, font, headingSizes, light, styles } from './message-look.ts';
import { type Attributes, attributes, classNames, padding, px, radius } from './mjml-attributes.ts';

/** The properties of a message beside its blocks. */
export interface Look {
  /** The language, for screen readers. */
  lang?: string;
  /** The text that inbox lists show after the subject. */
  preview?: string;
}

let engine: Promise<Engine> | undefined;

/** Renders blocks to responsive HTML with dark mode; merge tags stay. */
export async function renderBlocks(blocks: readonly Block[], look: Look = {}): Promise<string> {
  // A megabyte, loaded only where blocks are rendered.
  engine ??= import('mrml').then(({ Engine }) => newEngine(new Engine()));
  const page = new Page();
  const result = (await engine).toHtml(page.mjml(blocks, look));
  if (result.type === 'error') throw new Error(`the generated MJML is invalid: ${result.message}`);
  return page.filled(result.content);
}

function newEngine(engine: Engine): Engine {
  // Without web fonts, which would tell a third party when a mail is opened.
  engine.setRenderOptions({ disableComments: false, socialIconOrigin: null, fonts: {} });
  return engine;
}

/** What a block inherits: the background behind it, and its default padding at the sides. */
interface Surroundings {
  background: string | undefined;
  sides: { x: number; className: string };
}

const ownSection: Surroundings = { background: undefined, sides: { x: 32, className: 'mw-edge' } };
const inColumn = { x: 16, className: 'mw-inner' };

/** Escapes text; in merge tags only the characters that could end an HTML tag, which merging decodes again. */
const escaped = (text: string) =>
  escapeAroundTags(text.replaceAll(mergeTag, (tag) => tag.replace(/[&<>]/g, (sign) => entities[sign]!)));
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** What keeps mail programs from changing the colors in dark mode. */
const colorSchemes =
  '<meta name="color-scheme" content="light dark" /><meta name="supported-color-schemes" content="light dark" />';

const given = (value: string | null | undefined) => (value ? value.toLowerCase() : undefined);

/**
 * One message while it is rendered. The authors' content never passes through MJML: placeholders stand for it, and it
 * is inserted, escaped, after the layout. So nothing in it can break the layout or be changed.
 */
class Page {
  readonly #content: string[] = [];
  readonly #dark = new DarkRules();

  mjml(blocks: readonly Block[], { lang, preview }: Look): string {
    const body = this.#sections(blocks);
    const title = blocks.find((block): block is BlockOf<'heading'> => block.type === 'heading')?.data.text;
    const card = {
      'css-class': 'mw-card',
      'background-color': light.card,
      'border-radius': '12px',
      padding: `${edge(blocks[0])} 0 ${edge(blocks.at(-1))}`,
    };
    return `<mjml${attributes({ lang })}><mj-head>
      ${title === undefined ? '' : `<mj-title>${this.#attribute(title)}</mj-title>`}
      ${preview === undefined ? '' : `<mj-preview>${this.#text(preview)}</mj-preview>`}
      <mj-attributes><mj-all font-family="${font}" /></mj-attributes>
      <mj-style>${styles(this.#dark.css)}</mj-style>
      <mj-raw>${colorSchemes}</mj-raw>
      </mj-head><mj-body width="600px" css-class="mw-page" background-color="${light.page}">
      <mj-wrapper${attributes(card)}>${body}</mj-wrapper>
      </mj-body></mjml>`;
  }

  /** The HTML that MJML made, with the authors' content inserted. */
  filled(html: string): string {
    return html.replace(/mwslot(\d+)z/g, (_all, index: string) => this.#content[Number(index)] ?? '');
  }

  /** Each columns block is a section; the blocks between share one. */
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
    const columns = data.columns.map(({ blocks }) => {
      const content = blocks.map((block) => this.#block(block, { background, sides: inColumn }));
      return `<mj-column vertical-align="top">${content.join('')}</mj-column>`;
    });
    const section = {
      'css-class': classNames([this.#dark.background(background)]),
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
        const box = this.#box(block.style, around, 12, color ? '' : 'mw-line');
        return `<mj-divider${attributes({ ...box, 'border-color': color ?? light.line, 'border-width': '1px' })} />`;
      }
      case 'spacer': {
        const background = given(block.style?.background_color);
        const spacer = {
          height: px(block.data.height ?? 24),
          'container-background-color': background,
          'css-class': classNames([this.#dark.background(background)]),
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

  /** Text of any kind; its color is the author's, else readable on its background, else the reader's mode's. */
  #words(
    style: BlockStyle | null | undefined,
    around: Surroundings,
    by: { size: number; height: string },
    content: string,
  ): string {
    const own = given(style?.color);
    const background = given(style?.background_color) ?? around.background;
    const color = own ?? (background ? mostReadable(background, [light.text, light.card]) : light.text);
    const className = background || own ? `mw-own ${this.#dark.text(color, background)}` : 'mw-text';
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
    const classes = [className, typeof usual === 'number' ? '' : sides.className, this.#dark.background(background)];
    return {
      'css-class': classNames(classes),
      'container-background-color': background,
      ...radius(style),
      ...padding(style, { y, x: sides.x }),
    };
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
    return `mwslot${this.#content.push(html) - 1}z`;
  }
}

/** The card's padding at its first or last block: none at a background, which fills the edge. */
const edge = (block: Block | undefined) =>
  block && block.type !== 'button' && block.style?.background_color ? 0 : '16px';

const present = (style: BlockStyle | null | undefined): BlockStyle =>
  Object.fromEntries(Object.entries(style ?? {}).filter(([, value]) => value !== null && value !== undefined));
