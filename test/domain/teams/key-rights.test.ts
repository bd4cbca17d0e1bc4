import { expect, it } from 'vitest';
import { isWithin, mayCallFrom } from '../../../shared/domain/teams/allowed-addresses.ts';
import { mayRevoke } from '../../../shared/domain/teams/key-rights.ts';
import { scopes } from '../../../shared/domain/teams/scopes.ts';

it.each([
  ['192.0.2.0/24', '192.0.2.255', true],
  ['192.0.2.7/24', '192.0.2.200', true],
  ['192.0.2.0/24', '192.0.3.0', false],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['10.0.0.0/8', '10.1.0.0/16', true],
  ['10.0.0.0/16', '10.0.0.0/8', false],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['2001:db8::/32', '2001:db8:1::/48', true],
  ['::/0', '192.0.2.7', false],
  ['0.0.0.0/0', 'unknown', false],
])('%s holds %s: %s', (range, inner, holds) => {
  expect(isWithin(range, inner)).toBe(holds);
});

it('a key without ranges may be used from anywhere, one with several from each of them', () => {
  expect(mayCallFrom({}, '203.0.113.9')).toBe(true);
  const allowed_ips = ['192.0.2.0/24', '2001:db8::/32'];
  const from = (address: string) => mayCallFrom({ allowed_ips }, address);
  expect(['192.0.2.1', '2001:db8::1', '203.0.113.9', '2001:db9::1'].map(from)).toEqual([true, true, false, false]);
});

it('a key may revoke itself and its descendants, one with every scope any', () => {
  const [root, child] = [
    { id: 1, scopes: [] },
    { id: 2, scopes: [], lineage: [1] },
  ];
  const grandchild = { id: 3, scopes: [], lineage: [1, 2] };
  const all = { id: 4, scopes: scopes.filter((scope) => !scope.endsWith(':read')) };
  for (const key of [root, child, grandchild]) expect(mayRevoke(root, key)).toBe(true);
  expect([mayRevoke(child, root), mayRevoke(child, grandchild), mayRevoke(grandchild, child)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(mayRevoke(root, all)).toBe(false);
  for (const key of [root, child, all]) {
    // A key that holds every write scope and the others holds every read scope.
    expect(mayRevoke({ ...all, scopes: [...all.scopes] }, key)).toBe(true);
    expect(mayRevoke({ id: 5 }, key)).toBe(true);
  }
});
