import * as fc from 'fast-check';
import { htmlToText } from 'html-to-text';
import { describe, expect, it } from 'vitest';
import type { Block, BlockStyle } from '../../../shared/domain/messages/blocks.ts';
import { contrast, darkened, lightened, mostReadable } from '../../../shared/domain/messages/colors.ts';
import { compile, contactValues, hasUnsubscribeTag, slotValues } from '../../../shared/domain/messages/merge-tags.ts';
import { renderBlocks } from '../../../shared/domain/messages/render-blocks.ts';

const text = (words: string, style?: BlockStyle): Block => ({ type: 'text', data: { text: words }, style });
const button = (words: string, url: string, style?: BlockStyle): Block => ({
  type: 'button',
  data: { text: words, url },
  style,
});

/** Blocks rendered, compiled and merged as for a campaign. */
async function merged(blocks: Block[], contact: Parameters<typeof contactValues>[0] = { email: 'ann@example.com' }) {
  const compiled = compile({ subject: '', html: await renderBlocks(blocks) });
  const values = slotValues(compiled, contactValues(contact, { unsubscribe_url: 'https://u.example/x?a=1&b=2' }));
  return compiled.html!.replace(/\{\{(s\d+)\}\}/g, (_all, name: string) => values[name]!);
}

const hrefs = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);

describe('a block renders', () => {
  it.each<[Block, RegExp]>([
    [{ type: 'heading', data: { text: 'News' } }, /font-size:24px[^>]*>\s*<h2 style="[^"]*">News<\/h2>/],
    [{ type: 'heading', data: { text: 'News', level: 1 } }, /font-size:30px[^>]*>\s*<h1 style="[^"]*">News<\/h1>/],
    [text('Hello'), /<div style="[^"]*font-size:16px;[^"]*">Hello<\/div>/],
    [text('One\ntwo\r\n\r\nthree'), /<p style="[^"]*">One<br>two<\/p><p style="[^"]*">three<\/p>/],
    [button('Go', 'https://example.com/?a=1&b=2'), /<a href="https:\/\/example\.com\/\?a=1&#38;b=2"[^>]*>Go<\/a>/],
    [
      { type: 'image', data: { src: 'https://example.com/a.png', alt: 'A "dog"', width: 200 } },
      /<img alt="A &#34;dog&#34;"[^>]*src="https:\/\/example\.com\/a\.png" width="200"/,
    ],
    [
      { type: 'image', data: { src: 'https://example.com/a.png', alt: '', url: 'https://example.com/' } },
      /<a href="https:\/\/example\.com\/"[^>]*><img alt=""/,
    ],
    [{ type: 'image', data: { src: 'https://example.com/a.png', alt: '', width: 1_900 } }, /<img [^>]*width="536"/],
    [{ type: 'divider', data: {} }, /<p style="border-top:solid 1px #dfe3e8/],
    [{ type: 'spacer', data: { height: 40 } }, /<div style="height:40px;line-height:40px;">/],
    [{ type: 'html', data: { html: '<table><tr><td>a<br>&nbsp;<p>b' } }, /<table><tr><td>a<br>&nbsp;<p>b<\/div>/],
    [
      {
        type: 'columns',
        data: { columns: [{ blocks: [text('Left') as never] }, { blocks: [text('Right') as never] }] },
      },
      /mj-column-per-50[\s\S]*Left[\s\S]*mj-column-per-50[\s\S]*Right/,
    ],
  ])('%j', async (block, expected) => {
    expect(await renderBlocks([block])).toMatch(expected);
  });

  it('with the colors, sizes and alignment of its style, and with defaults elsewhere', async () => {
    const style = { color: '#ABC', background_color: '#112233', align: 'center', font_size: 20, padding: 5 } as const;
    const html = await renderBlocks([text('Styled', style), text('Plain', { color: null, padding_top: 1 })]);
    expect(html).toMatch(/background:#112233;[^"]*padding:5px 5px 5px 5px/);
    expect(html).toMatch(/font-size:20px;line-height:1\.5;text-align:center;color:#abc;">Styled/);
    expect(html).toMatch(/padding:1px 32px 8px 32px[^>]*><div[^>]*color:#1f2933;">Plain/);
  });

  it('as a whole document for wide and narrow screens, light and dark mode, and screen readers', async () => {
    const html = await renderBlocks([{ type: 'heading', data: { text: 'News & more' } }, text('Hi')], { lang: 'en' });
    expect(html).toMatch(/^<!doctype html><html lang="en"/);
    expect(html).toContain('<title>News &#38; more</title>');
    expect(html).toContain('<meta name="color-scheme" content="light dark" />');
    expect(html).toContain('@media (prefers-color-scheme: dark)');
    expect(html).toContain('@media only screen and (max-width: 599px)');
    expect(html.match(/<table(?![^>]*role="presentation")/g)).toBeNull();
  });
});

describe('content', () => {
  const hostile = `</td></mj-text><script>alert("x")</script>'><!-- ]]> & mwslot0z {{ }} \u0000`;

  it('never becomes markup, in any block', async () => {
    const html = await renderBlocks([
      { type: 'heading', data: { text: hostile } },
      text(hostile),
      button(hostile, `https://example.com/?q=${hostile}`),
      { type: 'image', data: { src: `https://example.com/${hostile}`, alt: hostile, url: 'https://example.com' } },
      { type: 'columns', data: { columns: [{ blocks: [{ type: 'text', data: { text: hostile } }] }] } },
    ]);
    expect(html).not.toMatch(/<script|<\/mj-text|<!-- \]\]>/);
    const safe = '&#60;/td&#62;&#60;/mj-text&#62;&#60;script&#62;';
    expect(html.split(safe)).toHaveLength(1 + 9);
    expect(html.match(/mwslot\d+z/g)?.every((slot) => slot === 'mwslot0z')).toBe(true);
  });

  it('reads as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), async (words) => {
        const html = await renderBlocks([{ type: 'image', data: { src: 'https://e.example/a', alt: words } }]);
        const shown = html.match(/<img alt="([^"]*)"/)?.[1] ?? '';
        const decoded = shown
          .replaceAll('&quot;', '"')
          .replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
        // Entities in a merge tag separate its fallback from the markup.
        if (!/\{\{[^{}]*\}\}/.test(words)) expect(decoded).toBe(words);
        expect(shown).not.toMatch(/[<>"]/);
      }),
    );
  });
});

describe('a merge tag in blocks', () => {
  it('stays as it was written in text and in HTML', async () => {
    const tag = '{{first_name | default: "there"}}';
    const html = await renderBlocks([
      { type: 'heading', data: { text: `Hi ${tag}` } },
      text(tag),
      { type: 'html', data: { html: `<b>${tag}</b>` } },
    ]);
    expect(html.split(tag)).toHaveLength(1 + 3);
  });

  it('merges in text, links, images and HTML, its quotes in attributes too', async () => {
    const fallback = '{{metadata.page | default: "https://example.com/?a=1&b=<2>"}}';
    const html = await merged(
      [
        text('Hi {{first_name | default: "<you> & \'me\'"}}'),
        button('Go to {{city}}', fallback),
        button('Out', '{{unsubscribe_url}}'),
        { type: 'image', data: { src: 'https://example.com/{{city}}.png', alt: '{{last_name | default: \'a "b"\'}}' } },
        { type: 'html', data: { html: '<a href="https://example.com/{{city}}">{{email}}</a>' } },
      ],
      { email: 'ann@example.com', metadata: { city: 'Köln"' } },
    );
    expect(html).toContain('>Hi &#60;you&#62; &#38; &#39;me&#39;</div>');
    expect(html).toContain('alt="a &#34;b&#34;"');
    expect(html).toContain('src="https://example.com/Köln&#34;.png"');
    expect(hrefs(html)).toEqual([
      'https://example.com/?a=1&#38;b=&#60;2&#62;',
      'https://u.example/x?a=1&#38;b=2',
      'https://example.com/Köln&#34;',
    ]);
    expect(html).toContain('>Go to Köln&#34;</a>');
    expect(html).not.toContain('{{');
  });

  it('is found by the unsubscribe gate and by the text alternative', async () => {
    const html = await renderBlocks([button('Out', '{{ unsubscribe_url | default: "https://example.com" }}')]);
    expect(hasUnsubscribeTag(html)).toBe(true);
    expect(htmlToText(html)).toContain('{{ unsubscribe_url | default: "https://example.com" }}');
    expect(hasUnsubscribeTag(await renderBlocks([text('No way out')]))).toBe(false);
  });
});

describe('in dark mode', () => {
  it('text with its own color stays readable, on the card and on a light background', async () => {
    const html = await renderBlocks([
      text('a', { color: '#333' }),
      text('b', { color: '#004400', background_color: '#EEFFEE' }),
      text('c', { color: '#ffffff', background_color: '#000044' }),
    ]);
    const rule = (selector: string) =>
      new RegExp(`\\.${selector}[^{]*\\{ [a-z-]*color: (#[0-9a-f]{6})`).exec(html)?.[1];
    expect(contrast(rule('mw-333 > div')!, '#1b1f25')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(rule('mw-004400-on-eeffee > div')!, rule('mw-bg-eeffee')!)).toBeGreaterThanOrEqual(4.5);
    expect(html).not.toContain('000044 >');
  });

  it('every color that is readable in light mode stays readable', () => {
    const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
    fc.assert(
      fc.property(color, color, (own, behind) => {
        const dark = darkened(behind);
        expect(contrast(lightened(own, { light: behind, dark }), dark)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(mostReadable(behind, ['#1f2933', '#ffffff']), behind)).toBeGreaterThanOrEqual(3.7);
      }),
    );
  });
});
