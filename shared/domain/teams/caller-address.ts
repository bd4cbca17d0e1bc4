import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';

/** The header by which the firewall shows that a request came through it. */
export const firewallHeader = 'x-origin-verify';

/** A request, as API Gateway tells of it: header names in lower case, and the address that connected. */
export interface Arrival {
  headers: Readonly<Record<string, string | undefined>>;
  sourceIp: string;
}

/**
 * The address of a request's caller. Behind a firewall (`secret`) it is the one that connected to the firewall, for a
 * request that came through it; no header of any other request is believed.
 */
export function callerAddress(arrival: Arrival, secret: string | undefined): string {
  return isThrough(arrival, secret) ? forwardedAddress(arrival) : arrival.sourceIp;
}

/** Whether a request bears the firewall's secret; false where there is no firewall. */
export function isThrough({ headers }: Pick<Arrival, 'headers'>, secret: string | undefined): boolean {
  return secret !== undefined && timingSafeEqual(digest(headers[firewallHeader] ?? ''), digest(secret));
}

/**
 * CloudFront adds the address that connects to it to what a caller may have sent in X-Forwarded-For, and API Gateway
 * that of CloudFront.
 */
function forwardedAddress({ headers, sourceIp }: Arrival): string {
  const hops = (headers['x-forwarded-for'] ?? '').split(',').map((hop) => hop.trim());
  if (hops.at(-1) === sourceIp) hops.pop();
  const address = hops.at(-1) ?? '';
  return isIP(address) ? address : sourceIp;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
