import { createHmac } from 'node:crypto';

/** The header that carries the signature of a webhook. */
export const signatureHeader = 'Service-Signature';

/** How long the previous secret also signs after a rotation. */
export const rotationOverlapMs = 24 * 3_600_000;

/** The signature header: the time in seconds and, for each secret, a signature over `<seconds>.<body>`. */
export function signatureOf(secrets: readonly string[], body: string, at: number): string {
  const signed = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`);
  return [`t=${at}`, ...signed].join(',');
}
