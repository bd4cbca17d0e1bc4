import { createHmac, timingSafeEqual } from 'node:crypto';

/** Who an unsubscribe link belongs to. */
export interface UnsubscribeClaim {
  teamId: number;
  campaignId: number;
  contactId: number;
}

const mac = (key: Buffer, payload: string): Buffer =>
  createHmac('sha256', key).update(payload).digest().subarray(0, 16);

/** A signed, URL-safe token that does not expire; it carries its claim, so checking it needs no read. */
export function signUnsubscribe(key: Buffer, claim: UnsubscribeClaim): string {
  const payload = Buffer.from(`u1.${claim.teamId}.${claim.campaignId}.${claim.contactId}`);
  return Buffer.concat([mac(key, payload.toString()), payload]).toString('base64url');
}

/** The claim of a token; undefined when it is not one that we signed. */
export function openUnsubscribe(key: Buffer, token: string): UnsubscribeClaim | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length < 17 || bytes.toString('base64url') !== token) return undefined;
  const payload = bytes.subarray(16).toString();
  if (!timingSafeEqual(bytes.subarray(0, 16), mac(key, payload))) return undefined;
  const match = /^u1\.(\d+)\.(\d+)\.(\d+)$/.exec(payload);
  if (!match) return undefined;
  return { teamId: Number(match[1]), campaignId: Number(match[2]), contactId: Number(match[3]) };
}
