import type { WebhookEvent } from './generated/types.ts';

const toleranceSeconds = 300;

/** The header that carries the signature. */
export const signatureHeader = 'Service-Signature';

/** Thrown when a delivery cannot be verified. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** A delivery as received. */
export interface WebhookDelivery {
  /** The raw body; a body parsed and serialized again may differ. */
  body: string | Uint8Array<ArrayBuffer>;
  /** The value of the `Service-Signature` header. */
  signature: string | null | undefined;
  /** The endpoint's secret; several during a rotation. */
  secret: string | readonly string[];
  /** Seconds that the signature's time may differ from now. @default 300 */
  tolerance?: number;
  /** @default new Date() */
  now?: Date;
}

/**
 * Returns the event of a delivery; throws WebhookVerificationError unless a signature is valid and recent. The same
 * event can arrive more than once, with the same `id`.
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { body, signature, secret, tolerance = toleranceSeconds, now = new Date() } = delivery;
  const { timestamp, signatures } = parse(signature);
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > tolerance)
    throw new WebhookVerificationError(`the signature is more than ${tolerance} seconds from now`);
  const encoder = new TextEncoder();
  const content = typeof body === 'string' ? encoder.encode(body) : body;
  const head = encoder.encode(`${timestamp}.`);
  const signed = new Uint8Array(head.length + content.length);
  signed.set(head);
  signed.set(content, head.length);
  for (const one of [secret].flat() as string[]) {
    const key = await crypto.subtle.importKey('raw', encoder.encode(one), hmac, false, ['verify']);
    // `verify` compares in constant time.
    for (const given of signatures)
      if (await crypto.subtle.verify('HMAC', key, given, signed))
        return JSON.parse(new TextDecoder().decode(content)) as WebhookEvent;
  }
  throw new WebhookVerificationError('no signature is of this body and secret');
}

const hmac = { name: 'HMAC', hash: 'SHA-256' };

/** Parses `t=<seconds>,v1=<hex>`, with several `v1` during a rotation; ignores other fields. */
function parse(header: string | null | undefined): { timestamp: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = parts.flatMap(([name, value = '']) => (name === 'v1' ? (bytesOf(value) ?? []) : []));
  if (!/^\d{1,12}$/.test(timestamp) || signatures.length === 0)
    throw new WebhookVerificationError(`the ${signatureHeader} header is missing or not of the form t=…,v1=…`);
  return { timestamp, signatures };
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/i.test(hex)) return undefined;
  return Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}
