import * as suppressions from '../../data/contacts/suppressions.ts';
import { exit } from '../../data/sequences/moves.ts';
import { sequencesOf } from '../../data/sequences/subscribers.ts';
import type { ContactEvent, DomainEvent } from '../../domain/domain-event.ts';
import type { ExitReason } from '../../domain/sequences/sequence.ts';

/** Takes a contact that was deleted or is no longer active out of all its sequences; a repetition changes nothing. */
export async function leaveSequences(teamId: number, event: DomainEvent): Promise<undefined> {
  if (!('contact_id' in event) || 'sequence_id' in event || !leaves(event)) return;
  const sequences = await sequencesOf(teamId, event.contact_id);
  if (sequences.length === 0) return;
  const reason = await reasonOf(teamId, event);
  for (const id of sequences) await exit(teamId, id, event.email, reason);
}

const leaves = ({ type, status }: ContactEvent): boolean =>
  type === 'contact.deleted' || (status !== undefined && status !== 'active');

async function reasonOf(teamId: number, { type, status, email }: ContactEvent): Promise<ExitReason> {
  if (type === 'contact.deleted' || status === undefined || status === 'active') return 'deleted';
  if (status !== 'unsubscribed') return status;
  const suppression = await suppressions.find(teamId, email);
  return suppression?.reason === 'spam_report' ? 'complained' : 'unsubscribed';
}
