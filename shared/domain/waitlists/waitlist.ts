import { randomInt } from 'node:crypto';

/** Every status of a waitlist; a closed one takes no new signups. */
export const waitlistStatuses = ['active', 'closed'] as const;

/** The status of a waitlist. */
export type WaitlistStatus = (typeof waitlistStatuses)[number];

/** Every status of a signup; only the pending ones stand in the queue. */
export const signupStatuses = ['pending', 'invited', 'joined', 'removed'] as const;

/** The status of a signup. */
export type SignupStatus = (typeof signupStatuses)[number];

/** How many places a referral moves its referrer up. */
export const placesPerReferral = 3;

/** A slug that may stand in the address of a hosted page. */
export const slugPattern = /^[a-z0-9-]{3,60}$/;

// No 0, O, 1, I, L: a code can be read out.
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const codeLength = 8;

const random = (letters: string, length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

/** A random referral code: 8 characters that nobody mistakes for each other. */
export const referralCode = (): string => random(alphabet, codeLength);

/** A referral code as it was given, typed or pasted: in the form in which it is stored. */
export const normalizeCode = (given: string): string => given.trim().toUpperCase();

/** The slug that a waitlist's name suggests; undefined where it has too few letters or digits of the Latin alphabet. */
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

/** A slug like the one wanted, with a random tail. */
export const slugWithTail = (wanted: string): string => `${wanted}-${random(alphabet, 5).toLowerCase()}`;
