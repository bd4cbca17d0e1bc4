import type { WebhookEvent } from './generated/types.ts';

const toleranceSeconds = 300;

/** The header that carries the signature. */
export const signatureHeader = 'Service-Signature';

/** Why a delivery is not to be believed. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** A delivery as it arrived. */
export interface WebhookDelivery {
  /** The body byte for byte; parsed and written again it would not be the same. */
  body: string | Uint8Array<ArrayBuffer>;
  /** The value of the `Service-Signature` header. */
  signature: string | null | undefined;
  /** Of the endpoint; several while receivers change from one to the next. */
  secret: string | readonly string[];
  /** Seconds that the signature's moment may be away from now. @default 300 */
  tolerance?: number;
  /** @default the present */
  now?: Date;
}

/** The event of a delivery; throws a WebhookVerificationError unless one of its signatures is right and recent. The same event may come again, under the same `id`. */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { body, signature, secret, tolerance = toleranceSeconds, now = new Date() } = delivery;
  const { moment, signatures } = parse(signature);
  if (Math.abs(now.getTime() / 1000 - Number(moment)) > tolerance)
    throw new WebhookVerificationError(`the signature is more than ${tolerance} seconds from now`);
  const encoder = new TextEncoder();
  const content = typeof body === 'string' ? encoder.encode(body) : body;
  const head = encoder.encode(`${moment}.`);
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

/** `t=<seconds>,v1=<hex>`, several `v1` while the secret is changed; what else it holds is for later versions. */
function parse(header: string | null | undefined): { moment: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('='));
  const moment = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = parts.flatMap(([name, value = '']) => (name === 'v1' ? (bytesOf(value) ?? []) : []));
  if (!/^\d{1,12}$/.test(moment) || signatures.length === 0)
    throw new WebhookVerificationError(`the ${signatureHeader} header is missing or not of the form t=…,v1=…`);
  return { moment, signatures };
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/i.test(hex)) return undefined;
  return Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}
