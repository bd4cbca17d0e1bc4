import { expect, it } from 'vitest';
import { callerAddress, firewallHeader, isThrough } from '../../../shared/domain/teams/caller-address.ts';

const edge = '203.0.113.7';
const secret = 'a secret of the firewall';

const addressOf = (forwarded: string | undefined, shown: string | undefined = secret) =>
  callerAddress({ headers: { 'x-forwarded-for': forwarded, [firewallHeader]: shown }, sourceIp: edge }, secret);

it.each([
  ['the address before the edge', `198.51.100.1, ${edge}`, '198.51.100.1'],
  ['an address of IPv6', `2001:db8::1, ${edge}`, '2001:db8::1'],
  ['none of those that the caller names', `192.0.2.1, 192.0.2.2,198.51.100.1, ${edge}`, '198.51.100.1'],
  ['the last one, where the edge is not added', '192.0.2.1, 198.51.100.1', '198.51.100.1'],
  ['the edge, where a caller is at the edge', `${edge}, ${edge}`, edge],
  ['the edge, where nothing is forwarded', undefined, edge],
  ['the edge, where no address is forwarded', `unknown, ${edge}`, edge],
])('takes of a request through the firewall %s', (_what, forwarded, expected) => {
  expect(addressOf(forwarded)).toBe(expected);
});

it.each([
  ['without the secret', undefined],
  ['with an empty one', ''],
  ['with another one', 'a secret of the firewalL'],
  ['with a longer one', `${secret}, ${secret}`],
])('believes no header of a request %s', (_what, shown) => {
  const headers = { 'x-forwarded-for': `198.51.100.1, ${edge}`, [firewallHeader]: shown };
  expect([callerAddress({ headers, sourceIp: edge }, secret), isThrough({ headers }, secret)]).toEqual([edge, false]);
});

it('believes no header where there is no firewall', () => {
  const headers = { 'x-forwarded-for': `198.51.100.1, ${edge}`, [firewallHeader]: secret };
  expect([callerAddress({ headers, sourceIp: edge }, undefined), isThrough({ headers }, undefined)]).toEqual([
    edge,
    false,
  ]);
});
