import { createHmac } from 'node:crypto';

/** The header that carries the signature of a webhook. */
export const signatureHeader = 'Service-Signature';

/** For this long after a rotation the secret before it signs too. */
export const rotationOverlapMs = 24 * 3_600_000;

/**
 * The value of the signature header: the moment in seconds, and one signature per secret, each over `<moment>.<body>`
 * with the whole secret as given.
 */
export function signatureOf(secrets: readonly string[], body: string, at: number): string {
  const signed = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`);
  return [`t=${at}`, ...signed].join(',');
}
