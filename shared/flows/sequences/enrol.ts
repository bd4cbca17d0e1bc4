import type { ContactItem } from '../../data/contacts/contacts.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import { enrol } from '../../data/sequences/enrolments.ts';
import * as steps from '../../data/sequences/steps.ts';
import { delayMs } from '../../domain/sequences/sequence.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';
import { startShards } from './schedule-shards.ts';

/**
 * Enrols the contacts that may be mailed and were never enrolled before. Returns how many the operation `by` has
 * enrolled, in an earlier execution too; undefined when the sequence is not active.
 */
export async function enrolContacts(
  teamId: number,
  sequenceId: number,
  contacts: readonly ContactItem[],
  by: string,
): Promise<number | undefined> {
  const active = contacts.filter(({ status }) => status === 'active');
  const emails = active.map(({ email }) => email);
  const [suppressed, { steps: list }] = await Promise.all([
    suppressions.batch(teamId, emails),
    steps.find(teamId, sequenceId),
  ]);
  const eligible = active.filter(({ email }) => !suppressed.has(email));
  const made = await enrol(teamId, sequenceId, eligible, { steps: list, by });
  if (!made) return undefined;
  await publishDomainEvents(made.outbox);
  if (list[0] && delayMs(list[0]) === 0) await startShards(teamId, sequenceId, [...made.enrolled.values()]);
  return made.enrolled.size;
}
