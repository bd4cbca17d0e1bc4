import type { Placed } from '../../data/waitlists/signups.ts';
import * as writes from '../../data/waitlists/writes.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';

/** Signs an address up for a team and publishes the event; throws as `writes.signUp` does. */
export async function signUp(teamId: number, waitlistId: number, input: writes.SignupInput): Promise<Placed> {
  const { outbox, ...placed } = await writes.signUp(teamId, waitlistId, input, 'api');
  await publishDomainEvents(outbox);
  return placed;
}
