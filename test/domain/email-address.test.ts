import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { domainFault, domainOf, emailFault, normalizeEmail } from '../../shared/domain/email-address.ts';

it('compares addresses trimmed and lower-cased', () => {
  expect(normalizeEmail('  Ann.Lee+News@Example.COM\t')).toBe('ann.lee+news@example.com');
});

it.each(['a@b.co', "o'hara+x@mail.example.com", '_-{}~!#$%&*/=?^`|@x-1.example', `${'a'.repeat(64)}@example.com`])(
  'accepts %s',
  (email) => {
    expect(emailFault(email)).toBeUndefined();
  },
);

it.each([
  '',
  'ann',
  '@example.com',
  'ann@',
  'ann@example',
  'ann@@example.com',
  'ann lee@example.com',
  'ann@exam ple.com',
  'ann@-example.com',
  'ann@example-.com',
  'ann@.example.com',
  'ann@example..com',
  'ann@example.com.',
  '.ann@example.com',
  'ann.@example.com',
  'a..b@example.com',
  '"ann lee"@example.com',
  'ann@[127.0.0.1]',
  'ann@127.0.0.1',
  'zoë@example.com',
  'ann@exämple.com',
  'ann@example.com\r\nbcc: all@example.com',
  'ann@example.com>, <all@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(64)}.com`,
  `a@${'bb.'.repeat(90)}com`,
])('refuses %j', (email) => {
  expect(emailFault(normalizeEmail(email))).toEqual(expect.any(String));
});

it.each([
  ['zoë@example.com', 'letters outside ASCII before the @'],
  ['用户@例え.jp', 'letters outside ASCII before the @'],
  ['\u212aate@example.com', 'letters outside ASCII before the @'],
  ['ann\u200b@example.com', 'letters outside ASCII before the @'],
  ['"ann lee"@example.com', 'quoted local parts'],
  ['ann."b c".lee@example.com', 'quoted local parts'],
  ['ann@exämple.com', 'xn--exmple-cua.com'],
  ['ann@BÜCHER.example', 'xn--bcher-kva.example'],
  ['ann@例え.jp', 'xn--r8jz45g.jp'],
  ['ann@example。com', 'in their ASCII form: example.com'],
  ['ann@ümlaut', 'not a valid domain name'],
  ['ann＠example.com', 'no local part before an @'],
])('says of %s why it is refused: %s', (email, reason) => {
  expect(emailFault(normalizeEmail(email))).toContain(reason);
});

it('names the ASCII form of an internationalized domain', () => {
  expect(domainFault('münchen.example')).toContain('xn--mnchen-3ya.example');
});

it('accepts nothing that could end a header or name a second recipient', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 20 }), (a, b) => {
      for (const email of [`${a}@${b}`, `${a}@example.com`, `ann@example.com${b}`])
        if (emailFault(email) === undefined) expect(email).toMatch(/^[!#-'*+./0-9=?@A-Z^-~-]+$/);
    }),
    { numRuns: 1_000 },
  );
});

it('knows the domain of an address', () => {
  expect(domainOf('ann@mail.example.com')).toBe('mail.example.com');
});
