import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CompiledMessage,
  compile,
  contactValues,
  escapeAroundTags,
  headerSafe,
  type MergeValues,
  slotValues,
} from '../../../shared/domain/messages/merge-tags.ts';
import { expectGrowth } from '../../support/growth.ts';

const ann = contactValues(
  {
    email: 'ann@example.com',
    first_name: 'Ann',
    last_name: null,
    metadata: { city: 'Köln', first_name: 'shadow', n: 0, yes: true, list: [1], object: { a: 1 }, empty: '' },
  },
  { unsubscribe_url: 'https://u.example/x?a=1&b=2' },
);

/** Renders a compiled part as the provider does; only `{{sN}}` may be in it. */
function substitute(part: string | undefined, slots: Record<string, string>): string {
  if (part === undefined) return '';
  expect(part).not.toMatch(/\\\{\{|\{\{\{|\{\{s\d+\}\}\}|\{\{(?!s\d+\}\})/);
  return part.replace(/\{\{(s\d+)\}\}/g, (_all, name: string) => slots[name]!);
}

function merged(source: string, values: MergeValues = ann, part: 'subject' | 'html' | 'text' = 'text'): string {
  const compiled: CompiledMessage = compile({ subject: 'Subject', [part]: source });
  return substitute(compiled[part], slotValues(compiled, values));
}

describe('a merge tag', () => {
  it.each([
    ['{{email}}', 'ann@example.com'],
    ['{{ first_name }}', 'Ann'],
    ['{{last_name}}', ''],
    ['{{last_name | default: "you"}}', 'you'],
    ["{{ last_name|default:'you' }}", 'you'],
    ['{{first_name | default: "you"}}', 'Ann'],
    ['{{metadata.city}}', 'Köln'],
    ['{{city}}', 'Köln'],
    ['{{metadata.first_name}}', 'shadow'],
    ['{{metadata.n}}', '0'],
    ['{{yes}}', 'true'],
    ['{{list}}{{object}}', ''],
    ['{{empty | default: "none"}}', 'none'],
    ['{{unknown}}', ''],
    ['{{unknown | default: "x"}}', 'x'],
    ['{{unsubscribe_url}}', 'https://u.example/x?a=1&b=2'],
    ['{{#if x}}a{{/if}}{{> partial}}{{! note}}', 'a'],
    ['{{constructor}}{{__proto__}}{{metadata.toString}}{{metadata.__proto__}}', ''],
  ])('%s becomes %j in text', (source, result) => {
    expect(merged(source)).toBe(result);
  });

  it.each([
    'a {{ b',
    'a }} b',
    '{{{ }',
    '\\{{',
    '\\\\ {{ \\',
    'a { b } \\ c',
    '{{first_name',
    'first_name}}',
    'C:\\new\\{{',
    '{% x %} {y} [[z]]',
  ])('%j is no merge tag and stays unchanged, everywhere', (source) => {
    for (const part of ['subject', 'html', 'text'] as const) expect(merged(source, ann, part)).toBe(source);
  });

  it.each([
    ['\\{{first_name}}', '\\Ann'],
    ['C:\\\\{{first_name}}\\', 'C:\\\\Ann\\'],
    ['{ {{first_name}} }', '{ Ann }'],
    ['p{color:{{city}}}', 'p{color:Köln}'],
    ['{{first_name}}}', 'Ann}'],
    ['{{email}}{{first_name}}', 'ann@example.comAnn'],
    ['{{ {{first_name}}', '{{ Ann'],
    ['a}{{first_name}}{b', 'a}Ann{b'],
    ['{{ 1 + 1 }}{x}}', '{x}}'],
  ])('beside braces and backslashes %j becomes %j', (source, result) => {
    expect(merged(source)).toBe(result);
  });

  it('is merged once: a value that looks like a tag stays what it is', () => {
    const hostile = contactValues({ email: 'a@b.example', first_name: '{{email}}{{s0}}\\{{{' }, {});
    expect(merged('{{first_name}}', hostile)).toBe('{{email}}{{s0}}\\{{{');
  });

  it('that is repeated takes one slot', () => {
    const { slots } = compile({ subject: '{{email}}', text: '{{first_name}} {{first_name}} {{ first_name }}' });
    expect(slots).toHaveLength(2);
  });
});

describe('a value in HTML', () => {
  it('is escaped for content and for quoted attributes, fallbacks too', () => {
    const hostile = contactValues({ email: 'a@b.example', first_name: `<script>"'&` }, {});
    expect(merged('<a title="{{first_name}}">{{x | default: "<b>"}}</a>', hostile, 'html')).toBe(
      '<a title="&#60;script&#62;&#34;&#39;&#38;">&#60;b&#62;</a>',
    );
  });

  it('decodes a fallback that an HTML editor has encoded', () => {
    expect(merged('{{x | default: "Tom &amp; Jerry"}}', ann, 'html')).toBe('Tom &#38; Jerry');
    expect(merged('{{x | default: &quot;&lt;b&gt; &#39;c&#39; &copy;&quot;}}', ann, 'html')).toBe(
      '&#60;b&#62; &#39;c&#39; &#38;copy;',
    );
    expect(escapeAroundTags('a < b {{x | default: "c & d"}} & {{')).toBe('a &#60; b {{x | default: "c & d"}} &#38; {{');
  });

  it('never contains markup or a quote, whatever the value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (first_name) => {
        const values = contactValues({ email: 'a@b.example', first_name }, {});
        const html = merged('<i title="{{first_name}}">{{first_name}}</i>', values, 'html');
        expect(html.match(/[<>"]/g)).toHaveLength(6);
        expect(html).not.toContain("'");
      }),
    );
  });

  it('keeps text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60 }), (first_name) => {
        expect(merged('{{first_name}}', contactValues({ email: 'a@b.example', first_name }, {}))).toBe(first_name);
      }),
    );
  });
});

it('keeps every other character of any source in its place', () => {
  const piece = fc.oneof(
    fc.constantFrom('{', '}', '{{', '}}', '\\', '{{{', ' ', '\n', 'a', '"', '<', '|'),
    fc.constantFrom('{{first_name}}', '{{ city }}', '{{nobody}}', '{{x | default: "y"}}', '{{ not a tag }}'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const source = pieces.join('');
      const known: Record<string, string> = { first_name: 'Ann', city: 'Köln', x: 'y' };
      const expected = source.replace(
        /\{\{([^{}]*)\}\}/g,
        (_all, body: string) => known[body.trim().split(/[\s|]/)[0]!] ?? '',
      );
      // "{{ not a tag }}" renders empty, as an unknown tag does.
      fc.pre([...source.matchAll(/\{\{([^{}]*)\}\}/g)].every(([all]) => (pieces as string[]).includes(all)));
      expect(merged(source)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

it('makes any value one header line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (value) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not be there
      expect(headerSafe(value)).not.toMatch(/[\u0000-\u001f\u007f\u0085\u2028\u2029]/);
    }),
  );
  const hostile = contactValues({ email: 'a@b.example', first_name: 'Ann\r\nBcc: all@example.com\u2028x' }, {});
  expect(merged('Hi {{first_name}}', hostile, 'subject')).toBe('Hi Ann Bcc: all@example.com x');
});

it.each(['{', '{{', '}', '\\', '<a ', '{{x', '{{x}}', '{{x | default: '])(
  'compiles a text of %j in proportion to its length',
  (piece) => {
    expectGrowth((length) => {
      const html = piece.repeat(length / piece.length);
      return () => compile({ subject: 's', html });
    }, 180_000);
  },
);

it("keeps the provider's tracking off the unsubscribe link and on the others", () => {
  const { html } = compile({
    subject: 's',
    html:
      '<a class="x" href="{{unsubscribe_url}}">u</a>' +
      '<A HREF=\'{{ unsubscribe_url | default: "x" }}\'>u</A><a href="https://example.com">n</a>',
  });
  expect(html!.match(/ses:no-track/g)).toHaveLength(2);
  expect(html).toContain('<a href="https://example.com">');
});
