import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageParts } from '../../shared/domain/message-parts.ts';
import { marked, rewritableBlocks, unmarked, withBlocks } from '../../shared/domain/rewritable.ts';

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

  it('takes new words between the markup, escaped, its white space and merge tags as they were', () => {
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

  it('is none where the text itself has such marks, and where nobody may reword it', () => {
    expect(marked(blocksOf('<p>see [[1]]</p>')[0]!)).toBeUndefined();
    expect(blocksOf('<pre>in order to</pre><code>x</code>')).toEqual([]);
  });

  it('put back as it was changes nothing, whatever the source', () => {
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
