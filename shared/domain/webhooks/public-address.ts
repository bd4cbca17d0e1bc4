import ipaddr from 'ipaddr.js';

/** One address of a host. */
export interface Address {
  address: string;
  family: 4 | 6;
}

/** All addresses of a host name; throws when it has none. */
export type Resolve = (hostname: string) => Promise<Address[]>;

/** Which addresses beyond public ones are allowed. */
export interface Exceptions {
  /** For development: 127.0.0.0/8 and ::1. */
  allowLoopback: boolean;
}

/** A target is not called; the message is for the team that registers it. */
export class RefusedTarget extends Error {
  readonly reason: 'refused address' | 'dns';

  constructor(message: string, reason: RefusedTarget['reason'] = 'refused address') {
    super(message);
    this.name = 'RefusedTarget';
    this.reason = reason;
  }
}

const maxUrlLength = 2_048;
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public by their range, but answered by the host of a machine in Azure: its agent, with metadata. */
const platformAddresses = new Set(['168.63.129.16']);

/** The special range of an address, in words; undefined for a public unicast address. */
export function specialRange(text: string, { allowLoopback }: Exceptions): string | undefined {
  if (!ipaddr.isValid(text)) return 'unreadable';
  const address = ipaddr.parse(text);
  const range = address.range();
  if (range === 'loopback' && allowLoopback) return undefined;
  if (range !== 'unicast') return range;
  if (platformAddresses.has(address.toString())) return 'of a cloud platform';
  // Of IPv6 only 2000::/3 is assigned: the rest is unassigned, or an old notation of another address.
  const outside = address instanceof ipaddr.IPv6 && !address.match(globalUnicast);
  return outside ? 'unassigned' : undefined;
}

/** From 1024 on: the bad ports of the Fetch standard, then databases, caches, queues and the control of machines. */
const otherProtocols = new Set([
  ...[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  ],
  ...[1433, 1434, 1521, 3306, 5432, 5984, 6379, 7474, 7687, 8086, 9042, 9200, 9300, 11211, 27017, 27018, 27019],
  ...[1883, 2181, 2375, 2376, 2379, 2380, 3389, 4369, 5672, 5900, 6443, 8883, 9092, 10250, 61616],
]);

/** The URL, if its text is acceptable; throws RefusedTarget. */
export function parseTarget(text: string): URL {
  if (text.length > maxUrlLength) throw new RefusedTarget('must have at most 2,048 characters');
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text))
    throw new RefusedTarget('must be a URL that begins with https:// or http://');
  if (url.username !== '' || url.password !== '') throw new RefusedTarget('must not hold a user name or password');
  const port = portOf(url);
  if (port !== 80 && port !== 443 && port < 1_024)
    throw new RefusedTarget('must have the port 80, 443, or one from 1024 on');
  if (otherProtocols.has(port)) throw new RefusedTarget(`must not have the port ${port}, which is not for the web`);
  return url;
}

/** The host that a URL names; an endpoint's URL was checked when it was stored. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '');

/** The port that a URL leads to. */
const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

/** The public addresses of a target: only these may be dialled. Throws RefusedTarget when one is not public. */
export async function publicAddresses(url: URL, resolve: Resolve, exceptions: Exceptions): Promise<Address[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = ipaddr.isValid(host) ? [{ address: host, family: familyOf(host) }] : await resolved(host, resolve);
  for (const { address } of addresses) {
    const range = specialRange(address, exceptions);
    if (range) throw new RefusedTarget(`must lead to public addresses only, not to one that is ${words(range)}`);
  }
  return addresses;
}

async function resolved(host: string, resolve: Resolve): Promise<Address[]> {
  const found = await resolve(host).catch(() => []);
  if (found.length === 0) throw new RefusedTarget('must name a host that resolves; this one does not', 'dns');
  return found;
}

const familyOf = (address: string): 4 | 6 => (ipaddr.parse(address).kind() === 'ipv4' ? 4 : 6);

/** `carrierGradeNat` as `carrier grade nat`. */
const words = (range: string): string => range.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
