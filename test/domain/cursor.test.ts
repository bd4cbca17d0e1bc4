import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Cursor, openCursor, sealCursor } from '../../shared/domain/cursor.ts';

const key = randomBytes(32);
const cursor: Cursor = { d: 'forward', p: 'ann@example.com', b: 'abcdefghijklmnop' };
const encoded = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());

it('gives back the place that was sealed, and fits in a URL as it is', () => {
  const places = fc.record({
    d: fc.constantFrom('forward' as const, 'backward' as const),
    p: fc.string({ unit: 'binary', minLength: 1 }),
    b: fc.string(),
  });
  fc.assert(
    fc.property(places, (place) => {
      const text = sealCursor(key, place);
      expect(openCursor(key, text)).toEqual(place);
      expect(encodeURIComponent(text)).toBe(text);
    }),
  );
});

it('opens no cursor that was altered, sealed by another key, or made without one', () => {
  const text = sealCursor(key, cursor);
  for (let at = 0; at < text.length; at++)
    expect(openCursor(key, text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1))).toBeUndefined();
  const { m } = decoded(text);
  const others = [
    { p: 'bob@example.com' },
    { d: 'backward' },
    { b: 'other' },
    { m: undefined },
    { m: null },
    { more: 1 },
  ];
  for (const other of others) expect(openCursor(key, encoded({ ...cursor, m, ...other }))).toBeUndefined();
  for (const other of [sealCursor(randomBytes(32), cursor), encoded(cursor), `${text}=`, ` ${text}`, encoded(null)])
    expect(openCursor(key, other)).toBeUndefined();
  for (const any of [
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.json().map((json) => encoded(JSON.parse(json))),
  ])
    fc.assert(fc.property(any, (other) => openCursor(key, other) === undefined));
});
