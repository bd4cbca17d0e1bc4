import { randomInt } from 'node:crypto';

/** Every status of a waitlist; a closed one takes no new signups. */
export const waitlistStatuses = ['active', 'closed'] as const;

/** The status of a waitlist. */
export type WaitlistStatus = (typeof waitlistStatuses)[number];

/** Every status of a signup; only a pending one is in the queue. */
export const signupStatuses = ['pending', 'invited', 'joined', 'removed'] as const;

/** The status of a signup. */
export type SignupStatus = (typeof signupStatuses)[number];

/** How many places a referral moves its referrer up. */
export const placesPerReferral = 3;

/** A slug that the address of a hosted page may contain. */
export const slugPattern = /^[a-z0-9-]{3,60}$/;

// Without 0, O, 1, I and L, which are easily confused.
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const codeLength = 8;

const random = (letters: string, length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

/** A random referral code: 8 characters that are hard to confuse. */
export const referralCode = (): string => random(alphabet, codeLength);

/** A typed or pasted referral code in its stored form. */
export const normalizeCode = (given: string): string => given.trim().toUpperCase();

/** A slug made from a waitlist's name; undefined when the name has too few Latin letters or digits. */
export function slugOf(name: string): string | undefined {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
  return slugPattern.test(slug) ? slug : undefined;
}

/** A slug with a random suffix. */
export const slugWithTail = (slug: string): string => `${slug}-${random(alphabet, 5).toLowerCase()}`;
