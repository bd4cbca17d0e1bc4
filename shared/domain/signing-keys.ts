/** The key that signed first, and those that followed, oldest first, with the time from which each signs. */
export interface SigningKeys<Secret = string> {
  /** 32 bytes in base64. */
  secret: Secret;
  later?: { secret: Secret; signs_from: string }[];
}

/** For how many days tokens are taken whose key signs no more: as long as people may use what it signed before. */
const daysRetired = {
  /** Whoever has a message may say no, however old it is. */
  unsubscribe: Number.POSITIVE_INFINITY,
  /** A link is valid for 365 days at most. */
  report: 365,
  /** Places, and invitations, of which an address gets one. */
  waitlist: 180,
  /** Who signs up again is asked again. */
  confirmation: 30,
};

/** What a token is for. */
export type TokenUse = keyof typeof daysRetired;

/** The key that signs at a time. */
export const signerAt = ({ secret, later = [] }: SigningKeys, now: string): string =>
  later.findLast(({ signs_from }) => signs_from <= now)?.secret ?? secret;

/** The keys whose tokens are taken for a use at a time, newest first; also one that does not sign yet. */
export function keysTaken({ secret, later = [] }: SigningKeys, use: TokenUse, now: Date): string[] {
  const retired = [...later.map(({ signs_from }) => Date.parse(signs_from)), Number.POSITIVE_INFINITY];
  const all = [secret, ...later.map((key) => key.secret)];
  return all.filter((_, index) => now.getTime() < retired[index]! + daysRetired[use] * 86_400_000).reverse();
}
