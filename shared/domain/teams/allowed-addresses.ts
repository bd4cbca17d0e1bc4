import { BlockList, isIP } from 'node:net';
import type { KeyRights } from './key-rights.ts';

/** Whether a key may be used from an address. */
export const mayCallFrom = ({ allowed_ips }: Pick<KeyRights, 'allowed_ips'>, address: string): boolean =>
  allowed_ips?.some((range) => isWithin(range, address)) ?? true;

/** Whether a range of addresses, or an address, lies within a range. */
export function isWithin(range: string, inner: string): boolean {
  const [[network, bits], [address, innerBits]] = [split(range), split(inner)];
  if (isIP(network) !== isIP(address) || innerBits < bits) return false;
  const set = new BlockList();
  set.addSubnet(network, bits, family(network));
  return set.check(address, family(address));
}

function split(range: string): [address: string, bits: number] {
  const [address, bits] = range.split('/') as [string, string?];
  return [address, Number(bits ?? (isIP(address) === 6 ? 128 : 32))];
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
