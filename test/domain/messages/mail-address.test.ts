import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { mailbox } from '../../../shared/domain/messages/mail-address.ts';
import { headerSafe } from '../../../shared/domain/messages/merge-tags.ts';

const address = 'news@shop.example';

it.each([
  ['Acme', 'Acme <news@shop.example>'],
  ["Ann's Shop & Co", "Ann's Shop & Co <news@shop.example>"],
  ['Acme, Inc.', '"Acme, Inc." <news@shop.example>'],
  ['The "Best" \\ Shop', '"The \\"Best\\" \\\\ Shop" <news@shop.example>'],
  ['a@b.example', '"a@b.example" <news@shop.example>'],
  ['', address],
  ['  ', address],
  [null, address],
])('writes the display name %j as %s', (name, header) => {
  expect(mailbox(address, name)).toBe(header);
});

/** Reads a mailbox header as a mail program does. */
function displayed(header: string): string {
  const name = header.slice(0, header.lastIndexOf(' <'));
  if (name.startsWith('=?'))
    return Buffer.concat(
      name.split(' ').map((word) => Buffer.from(/^=\?UTF-8\?B\?([A-Za-z0-9+/=]+)\?=$/.exec(word)![1]!, 'base64')),
    ).toString();
  return name.startsWith('"') ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name;
}

it('encodes any name on one ASCII line, in words of at most 75 characters, that decode to the name', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }).map((text) => text.trim());
  fc.assert(
    fc.property(
      name.filter((text) => headerSafe(text) !== ''),
      (given) => {
        const header = mailbox(address, given);
        expect(header).toMatch(/^[\x20-\x7e]+$/);
        expect(header.endsWith(` <${address}>`)).toBe(true);
        expect(header.length).toBeLessThanOrEqual(320);
        const shown = displayed(header);
        expect(headerSafe(given).startsWith(shown)).toBe(true);
        if (header.length < 200) expect(shown).toBe(headerSafe(given));
        if (header.startsWith('=?')) for (const word of header.split(' ')) expect(word.length).toBeLessThanOrEqual(75);
      },
    ),
  );
});

it.each(['=?UTF-8?B?UGF5UGFs?=', 'Shop =?UTF-8?Q?PayPal?=', '"=?UTF-8?B?UGF5UGFs?="'])(
  'shows the name %j as it is, which mail programs would decode',
  (name) => {
    expect(displayed(mailbox(address, name))).toBe(name);
    expect(mailbox(address, name)).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]+\?= </);
  },
);

it('shortens a name between characters where SES would refuse the mailbox', () => {
  const long = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(50)}.example`;
  for (const [name, to] of [
    ['東京'.repeat(50), address],
    ['🎉'.repeat(50), address],
    ['Acme '.repeat(20), long],
    ['"'.repeat(100), long],
  ] as const) {
    const header = mailbox(to, name);
    expect(header.length).toBeLessThanOrEqual(320);
    expect(displayed(header).length).toBeGreaterThan(20);
    expect(name.startsWith(displayed(header))).toBe(true);
  }
});

it('splits encoded words between characters only', () => {
  for (const word of mailbox(address, '🎉é'.repeat(20)).split(' ').slice(0, -1))
    expect(Buffer.from(word.slice(10, -2), 'base64').toString()).toMatch(/^[🎉é]+$/u);
});

it('never adds another header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
      expect(mailbox(address, name)).not.toMatch(/[\r\n]/);
    }),
  );
});
