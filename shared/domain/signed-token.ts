import { createHmac, timingSafeEqual } from 'node:crypto';

/** The kinds of signed links in messages, with the number of ids that each carries. */
const kinds = {
  /** Team, campaign, contact. */
  unsubscribe: { prefix: 'u1', ids: 3 },
  /** Team, campaign, page, index: a recipient that is not a contact, by its index in the audience snapshot. */
  unsubscribe_place: { prefix: 'p1', ids: 4 },
  /** Team, sequence, contact. */
  sequence: { prefix: 'q1', ids: 3 },
  /** Team, contact. */
  confirm: { prefix: 'c1', ids: 2 },
  /** Team, waitlist, signup: shows its state. */
  signup: { prefix: 's1', ids: 3 },
  /** Team, waitlist, signup: shows its state, and confirms its address, to which the link was mailed. */
  place: { prefix: 'm1', ids: 3 },
  /** Team, waitlist, signup: accepts the invitation. */
  invitation: { prefix: 'i1', ids: 3 },
  /** Team, campaign, and when it expires in seconds since the epoch: shows the report. */
  report: { prefix: 'r1', ids: 3 },
  /** The same of a campaign whose links were revoked, and how often before this one. */
  report_anew: { prefix: 'r2', ids: 4 },
} as const;

/** The purpose of a link; a token of one kind is not valid for another. */
export type TokenKind = keyof typeof kinds;

const mac = (key: Buffer, payload: string): Buffer =>
  createHmac('sha256', key).update(payload).digest().subarray(0, 16);

/** A signed, URL-safe token. It carries its ids, so checking it needs no read; it expires only if an id is a time. */
export function signToken(key: Buffer, kind: TokenKind, ids: readonly number[]): string {
  const payload = [kinds[kind].prefix, ...ids].join('.');
  return Buffer.concat([mac(key, payload), Buffer.from(payload)]).toString('base64url');
}

/** The ids of a token; undefined when it is not one of this kind that we signed. */
export function openToken(key: Buffer, kind: TokenKind, token: string): number[] | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length < 17 || bytes.toString('base64url') !== token) return undefined;
  const payload = bytes.subarray(16).toString();
  if (!timingSafeEqual(bytes.subarray(0, 16), mac(key, payload))) return undefined;
  const [prefix, ...ids] = payload.split('.');
  if (prefix !== kinds[kind].prefix || ids.length !== kinds[kind].ids) return undefined;
  return ids.map(Number);
}
