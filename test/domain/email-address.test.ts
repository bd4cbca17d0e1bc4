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

it('names the ASCII form of an internationalized domain', () => {
  expect(emailFault('ann@exämple.com')).toContain('xn--exmple-cua.com');
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
