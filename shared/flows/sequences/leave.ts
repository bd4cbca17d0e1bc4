import * as suppressions from '../../data/contacts/suppressions.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import type { ContactEvent, DomainEvent } from '../../domain/domain-event.ts';
import type { ExitReason } from '../../domain/sequences/sequence.ts';

/** Takes a contact that was deleted, or is not active any more, out of all its sequences; again changes nothing. */
export async function leaveSequences(teamId: number, notice: DomainEvent): Promise<undefined> {
  if (!('contact_id' in notice) || 'sequence_id' in notice || !leaves(notice)) return;
  const sequences = await subscribers.sequencesOf(teamId, notice.contact_id);
  if (sequences.length === 0) return;
  const reason = await reasonOf(teamId, notice);
  for (const id of sequences) await subscribers.exit(teamId, id, notice.email, reason);
}

const leaves = ({ type, status }: ContactEvent): boolean =>
  type === 'contact.deleted' || (status !== undefined && status !== 'active');

async function reasonOf(teamId: number, { type, status, email }: ContactEvent): Promise<ExitReason> {
  if (type === 'contact.deleted' || status === undefined || status === 'active') return 'deleted';
  if (status !== 'unsubscribed') return status;
  const suppression = await suppressions.find(teamId, email);
  return suppression?.reason === 'spam_report' ? 'complained' : 'unsubscribed';
}
