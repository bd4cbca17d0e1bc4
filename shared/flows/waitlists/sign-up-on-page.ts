import { randomUUID } from 'node:crypto';
import { queueDomainEvents } from '../../aws/queue.ts';
import type { SignupItem } from '../../data/waitlists/signups.ts';
import * as writes from '../../data/waitlists/writes.ts';
import { timestamp } from '../../domain/time.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';

/**
 * Signs an address up on the hosted page, and has its place and referral link mailed to it. Returns the signup only to
 * whoever made it: an address that has signed up before may be anybody's. Throws as `writes.signUp` does.
 */
export async function signUpOnPage(
  teamId: number,
  waitlistId: number,
  input: writes.SignupInput,
): Promise<SignupItem | undefined> {
  const { outbox, known, signup } = await writes.signUp(teamId, waitlistId, input, 'page');
  await publishDomainEvents(outbox);
  if (!known) return signup;
  if (outbox.length === 0) await askForMail(teamId, signup);
  return undefined;
}

/** Nothing has changed that others are to be told of, and whoever asks can ask again: so no outbox keeps the event. */
const askForMail = (team_id: number, { waitlist_id, id: signup_id }: SignupItem): Promise<void> => {
  const event = { id: `place-${signup_id}-${randomUUID()}`, waitlist_id, signup_id };
  const notices = [{ ...event, type: 'waitlist.signup', mail: true } as const];
  return queueDomainEvents([{ team_id, notices, at: timestamp(), told: true }]);
};
