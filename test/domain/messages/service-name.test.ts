import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { serviceName } from '../../../shared/domain/messages/service-name.ts';

const shown = (name: string) => serviceName(name, 'this sender');

it.each([
  ['Acme & Sons', 'Acme & Sons'],
  ['Rocket <b>& Co', 'Rocket <b>& Co'],
  ['J. Crew, U.S.A., v2.0, AC/DC', 'J. Crew, U.S.A., v2.0, AC/DC'],
  ['Ünïcode 日本。 Acme™ ½', 'Ünïcode 日本。 Acme™ ½'],
  ['Booking.com', 'Booking com'],
  ['Win at https://evil.example/x?y=1 now', 'Win at now'],
  ['Win at evil.example/x now', 'Win at now'],
  ['Win at WWW.evil.example now', 'Win at now'],
  ['Win at (evil.example) now', 'Win at (evil example) now'],
  ['ｅｖｉｌ．ｅｘａｍｐｌｅ', 'evil example'],
  ['evil。example', 'evil example'],
  ['ev\u200bil.\u00adexa\u2060mple', 'evil example'],
  ['Mail boss@evil.example now', 'Mail now'],
  ['One\r\nBcc: x\u0000\u2028two', 'One Bcc: x two'],
  ['a\u202ee\u200b\ud800b', 'aeb'],
  ['The "best" “shop”', "The 'best' 'shop'"],
  ['https://evil.example', 'this sender'],
  ['\u0000 \u200b', 'this sender'],
])('shows %j as %j', (name, expected) => {
  expect(shown(name)).toBe(expected);
});

it('cuts a long name between characters', () => {
  expect(shown('😀'.repeat(100))).toBe(`${'😀'.repeat(79)}…`);
  expect(shown('x'.repeat(80))).toBe('x'.repeat(80));
});

it('never shows a link, an address or a control character', () => {
  const piece = fc.constantFrom(
    'a',
    'evil',
    '.',
    '。',
    '．',
    'com',
    '/',
    ':',
    'http://',
    'www.',
    '@',
    ' ',
    '\u200b',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const name = shown(pieces.join(''));
      expect(name).not.toMatch(/:\/\/|\S@\S+\.|[a-z]\.[a-z]{2}|\bwww\.\w|[\n\u200b]/i);
    }),
    { numRuns: 2_000, examples: [[['a', '。', 'www.', 'a']]] },
  );
});
