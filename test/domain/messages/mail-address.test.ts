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
        expect(displayed(header)).toBe(headerSafe(given));
        if (header.startsWith('=?')) for (const word of header.split(' ')) expect(word.length).toBeLessThanOrEqual(75);
      },
    ),
  );
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
