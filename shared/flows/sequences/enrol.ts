import type { ContactItem } from '../../data/contacts/contacts.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import * as steps from '../../data/sequences/steps.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import { delayMs } from '../../domain/sequences/sequence.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';
import { scheduleShardsOf } from './wake-shards.ts';

/**
 * Enrols those of some contacts who may be mailed and were never enrolled before. Returns how many it enrolled, by the same operation when it
 * runs again, too; undefined when the sequence is not active.
 */
export async function enrolContacts(
  teamId: number,
  sequenceId: number,
  contacts: readonly ContactItem[],
  by: string,
): Promise<number | undefined> {
  const active = contacts.filter(({ status }) => status === 'active');
  const [suppressed, { steps: list }] = await Promise.all([
    suppressions.batch(
      teamId,
      active.map(({ email }) => email),
    ),
    steps.find(teamId, sequenceId),
  ]);
  const eligible = active.filter(({ email }) => !suppressed.has(email));
  const made = await subscribers.enrol(teamId, sequenceId, eligible, { steps: list, by });
  if (!made) return undefined;
  await publishDomainEvents(made.outbox);
  const atOnce = list[0] !== undefined && delayMs(list[0]) === 0;
  if (atOnce) await scheduleShardsOf(teamId, sequenceId, made.enrolled);
  return made.enrolled.length;
}
