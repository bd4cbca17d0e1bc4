import type { Placed } from '../../data/waitlists/signups.ts';
import * as writes from '../../data/waitlists/writes.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';

/** Signs an address up and publishes the event; throws as `writes.signUp` does. */
export async function signUp(...given: Parameters<typeof writes.signUp>): Promise<Placed> {
  const { outbox, ...placed } = await writes.signUp(...given);
  await publishDomainEvents(outbox);
  return placed;
}
