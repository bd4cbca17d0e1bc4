import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marked, rewritableBlocks, unmarked, withBlocks } from '../../../shared/domain/copywriting/rewritable.ts';
import { linkFindings } from '../../../shared/domain/messages/link-findings.ts';
import { messageParts } from '../../../shared/domain/messages/message-parts.ts';
import { expectGrowth } from '../../support/growth.ts';

const blocksOf = (source: string) => rewritableBlocks(source, messageParts(source));
const source = '<p>\n  Hello <b>{{name | default: &quot;you&quot;}}</b> &amp; all: see <i>a.example/x</i>\n</p>';

function rewritten(text: string): string | undefined {
  const [block] = blocksOf(source);
  const pieces = unmarked(block!, text, true);
  return pieces && withBlocks(source, new Map([[block!, pieces]]));
}

describe('a rewritable block', () => {
  it('is shown with its markup as numbers', () => {
    expect(marked(blocksOf(source)[0]!)).toBe('Hello [[1]]{{name | default: "you"}}[[2]] & all: see [[3]]a.example/x');
  });

  it('accepts new words between the markup, escaped, and keeps white space and merge tags', () => {
    expect(rewritten('[[1]]{{name | default: "you"}}[[2]], <look> & [[3]]a.example/x now')).toBe(
      '<p>\n  <b>{{name | default: &quot;you&quot;}}</b>, &lt;look&gt; &amp; <i>a.example/x now</i>\n</p>',
    );
  });

  it.each([
    ['a lost merge tag', 'Hello [[1]]you[[2]] [[3]]a.example/x'],
    ['a lost address', 'Hello [[1]]{{name | default: "you"}}[[2]] [[3]]it'],
    ['another address', 'Hello [[1]]{{name | default: "you"}}[[2]] [[3]]a.example/x evil.com'],
    ['an address of a person', 'Hello [[1]]{{name | default: "you"}}[[2]] [[3]]a.example/x me@evil.dev'],
    ['another merge tag', 'Hello [[1]]{{name | default: "you"}}[[2]] [[3]]a.example/x {{email}}'],
    ['half a merge tag', 'Hello [[1]]{{name | default: "you"}}[[2]] [[3]]a.example/x {{email'],
    ['markup of its own', 'Hello [[1]]{{name | default: "you"}}[[2]] [[3]]a.example/x [[4]]'],
    ['a control character', 'Hello\u0000 [[1]]{{name | default: "you"}}[[2]] [[3]]a.example/x'],
    ['nothing', ' '],
  ])('refuses %s', (_what, text) => {
    expect(rewritten(text)).toBeUndefined();
  });

  it('does not exist where the text contains markers or is code', () => {
    expect(marked(blocksOf('<p>see [[1]]</p>')[0]!)).toBeUndefined();
    expect(blocksOf('<pre>in order to</pre><code>x</code>')).toEqual([]);
  });

  it('written back unchanged changes nothing in any source', () => {
    const piece = fc.constantFrom(
      '<p>',
      '</p>',
      '<b>',
      '</b>',
      'in order to ',
      '&amp;',
      '&copy;',
      '<br>',
      '{{x}}',
      '{{',
      '\n',
      'https://a.example/b ',
      '<a href="{{u}}">',
      '</a>',
      '"',
      'ü😀 ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const message = `<i></i>${pieces.join('')}`;
        const blocks = blocksOf(message);
        expect(withBlocks(message, new Map(blocks.map((block) => [block, block.pieces])))).toBe(message);
      }),
    );
  });
});

describe('a text that repeats itself', () => {
  const repeated = [
    'a',
    'a.',
    'a-',
    'aa1.',
    '-.',
    '-',
    `${'-'.repeat(63)}.`,
    'a_',
    '+',
    '.',
    'a@',
    'a.b@',
    '{{',
    'www.',
    'http://',
  ];

  it.each(repeated)('of %j is cut into pieces in proportion to its length', (piece) => {
    expectGrowth((length) => {
      const text = piece.repeat(length / piece.length);
      return () => blocksOf(text);
    });
  });

  it.each(repeated)('of %j as the text of a link is judged in proportion to its length', (piece) => {
    expectGrowth((length) => {
      const link = { href: 'https://x.example/', text: piece.repeat(length / piece.length) };
      return () => linkFindings([link]);
    });
  });

  it('keeps addresses and hosts whole, up to their maximum lengths', () => {
    const name = `${`${'a'.repeat(63)}.`.repeat(3)}com`;
    for (const token of [
      'me@shop.example',
      `${'m'.repeat(64)}@${name}`,
      name,
      'see-here.co/x?y',
      'www.a.b',
      '{{ name }}',
    ]) {
      const [block] = blocksOf(`look at ${token} now`);
      expect(block!.pieces.map(({ kind, text }) => [kind, text])).toEqual([
        ['words', 'look at '],
        ['token', token],
        ['words', ' now'],
      ]);
    }
  });
});
