import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageParts } from '../../../shared/domain/messages/message-parts.ts';

const texts = (html: string) => messageParts(html).blocks.map(({ text }) => text.trim());

describe('the parts of a message', () => {
  it('are its visible texts, block by block, inline markup within', () => {
    expect(texts('<h1>Hi</h1><p>Hello <b>Ann</b> &amp; Bob<br>bye</p><td>cell')).toEqual([
      'Hi',
      'Hello Ann & Bob',
      'bye',
      'cell',
    ]);
  });

  it('leave out hidden text', () => {
    expect(texts('<head><title>T</title><style>p{}</style></head><script>s()</script><!-- c --><p>seen</p>')).toEqual([
      'seen',
    ]);
  });

  it.each([
    ['display: none', 'display:none'],
    ['visibility', 'visibility : hidden'],
    ['no size', 'font-size:0'],
    ['no size in pixels', 'font-size: 0px'],
    ['no opacity', 'opacity:0'],
    ['its colour', 'color:#fff;background-color:#fff'],
    ['Outlook', 'mso-hide:all'],
  ])('know text hidden by %s', (_how, style) => {
    const parts = messageParts(`<p>seen</p><div style="${style}"><b>hidden</b></div>`);
    expect([parts.hiddenText, parts.blocks.map(({ text }) => text)]).toEqual(['hidden', ['seen']]);
  });

  it.each(['font-size:0.8em', 'opacity:0.5', 'font-size:10px', 'color:#fff;background:#000', 'background-color:#fff'])(
    'do not take %s for hiding',
    (style) => {
      expect(messageParts(`<div style="${style}">seen</div>`).hiddenText).toBe('');
    },
  );

  it('include text whose size is restored', () => {
    const parts = messageParts('<td style="font-size:0px"><div style="font-size:13px">seen</div></td>');
    expect([parts.hiddenText, parts.blocks[0]!.text]).toEqual(['', 'seen']);
  });

  it('count links, pictures except tracking pixels, elements and handlers', () => {
    const parts = messageParts(
      '<a href=" https://a.example/?x=1&amp;y=2 ">A <b>link</b></a><area href="#"><img src=a alt="A"><img src=b>' +
        '<img src=p width=1 height=1><form onsubmit="x()">',
    );
    expect(parts.links).toEqual([
      { href: 'https://a.example/?x=1&y=2', text: 'A link' },
      { href: '#', text: '' },
    ]);
    expect(parts.pictures).toEqual([{ alt: 'A' }, { alt: undefined }]);
    expect([parts.elements.get('form'), parts.handlers]).toEqual([1, 1]);
  });

  it('of plain text are its paragraphs', () => {
    const text = 'One\nline & <3\n\n  Two {{x}} https://a.example/b.\n';
    const parts = messageParts(text);
    expect(parts.isHtml).toBe(false);
    expect(parts.blocks.map((block) => block.text)).toEqual(['One\nline & <3', 'Two {{x}} https://a.example/b.']);
    expect(parts.links).toHaveLength(1);
  });

  it('have their offsets in any source, and never overlap', () => {
    const piece = fc.constantFrom(
      '<p>',
      '</p>',
      '<b>',
      '</b>',
      'text ',
      '&amp;',
      '&nope',
      '<br/>',
      '<',
      '>',
      '<!--',
      '-->',
      '{{x}}',
      '\n',
      '<a href="x">',
      '</a>',
      '"',
      '<script>',
      '</script>',
      'ü😀',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const source = `<i></i>${pieces.join('')}`;
        let at = 0;
        for (const { runs } of messageParts(source).blocks)
          for (const { start, end, text } of runs) {
            expect(start).toBeGreaterThanOrEqual(at);
            expect(end).toBeGreaterThan(start);
            const raw = source.slice(start, end);
            if (!raw.includes('&')) expect(raw).toBe(text);
            at = end;
          }
      }),
    );
  });

  it('refuse elements that are nested too deeply', () => {
    expect(() => messageParts('<div>'.repeat(1_500))).toThrow('nested too deeply');
  });
});
