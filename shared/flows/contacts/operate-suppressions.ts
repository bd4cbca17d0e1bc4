import * as ses from '../../aws/suppressed-destinations.ts';
import * as platform from '../../data/contacts/platform-suppressions.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import type { Actor } from '../../domain/actor.ts';
import type { SuppressionReason } from '../../domain/contacts/suppression.ts';
import { NotFound } from '../../domain/errors.ts';

/** Keeps every team from mailing an address; a second call changes nothing. Contacts keep their status. */
export async function suppressForAll({ email, reason }: { email: string; reason: SuppressionReason }, by: Actor) {
  const stored = await platform.add(email, reason, by);
  return { email, reason: stored.reason, created_at: stored.created_at };
}

/**
 * Undoes a false bounce or complaint: the platform and SES mail the address again, and the reason is kept. Teams lift
 * their own suppressions. Throws 404 when neither keeps the address from being mailed.
 */
export async function liftForAll({ email, reason }: { email: string; reason: string }, by: Actor) {
  const known = await platform.find(email);
  const atSes = await ses.remove(email);
  if (!known && !atSes) throw new NotFound(`suppression of ${email} on the platform or at SES`);
  await platform.lift(email, reason, by);
  return { email, reason, platform: known !== undefined, ses: atSes };
}

/** What keeps an address from being mailed and why: the platform, SES and a team when named; null for what does not. */
export async function showSuppression({ email, team_id }: { email: string; team_id?: number }) {
  const [known, atSes, own, lifted] = await Promise.all([
    platform.find(email),
    ses.find(email),
    team_id === undefined ? undefined : suppressions.find(team_id, email),
    platform.lifts(email),
  ]);
  return {
    email,
    platform: known ? { reason: known.reason, since: known.created_at } : null,
    ses: atSes ?? null,
    team: own ? { reason: own.reason, since: own.created_at, source: own.source ?? null } : null,
    lifted: lifted.map(({ reason, lifted_at }) => ({ reason, lifted_at })),
  };
}
