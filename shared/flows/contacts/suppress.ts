import type { ContactItem } from '../../data/contacts/contact-item.ts';
import * as platform from '../../data/contacts/platform-suppressions.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import type { Actor } from '../../domain/actor.ts';
import { liftSuppression as lifted, statusWhenSuppressed, suppressContact } from '../../domain/contacts/contact.ts';
import { isPlatformWide, type SuppressionReason } from '../../domain/contacts/suppression.ts';
import { timestamp } from '../../domain/time.ts';
import { changeContacts } from './change.ts';

/**
 * Suppresses an address and gives its contact the status of the reason; idempotent. A bounce or complaint that the
 * provider reported (`confirmed`) suppresses the address for every team.
 */
export async function suppress(
  teamId: number,
  input: {
    email: string;
    reason: SuppressionReason;
    source: string;
    confirmed?: boolean;
    campaign_id?: number | null;
    metadata?: Record<string, unknown>;
  },
): Promise<suppressions.SuppressionItem> {
  const { email, reason, source, confirmed, metadata } = input;
  if (confirmed && isPlatformWide(reason, email)) await platform.add(email, reason);
  const campaign_id = input.campaign_id ?? undefined;
  const suppression = await suppressions.add(teamId, { email, reason, source, campaign_id, metadata });
  await follow(teamId, email, reason);
  return suppression;
}

/** Gives a suppressed contact the status of the reason; a soft-deleted one too, so that a restore keeps it. */
async function follow(teamId: number, email: string, reason: SuppressionReason): Promise<void> {
  const status = statusWhenSuppressed(reason);
  if (!status) return;
  await changeContacts(teamId, [email], ([stored]) => [
    stored!.contact && suppressContact(stored!.contact, status, timestamp()),
  ]);
}

/** Gives new contacts the status of a suppression that was added while they were created; returns them in order. */
export async function followSuppressions(teamId: number, created: readonly ContactItem[]): Promise<ContactItem[]> {
  const emails = created.map(({ email }) => email);
  const reasons = await suppressions.reasons(teamId, emails);
  const statuses = new Map(
    emails.flatMap((email, index) => {
      const status = reasons[index] && statusWhenSuppressed(reasons[index]);
      return status ? [[email, status] as const] : [];
    }),
  );
  const followed = await changeContacts(teamId, [...statuses.keys()], (stored) =>
    stored.map(({ email, contact }) => contact && suppressContact(contact, statuses.get(email)!, timestamp())),
  );
  const now = new Map(followed.flatMap((contact) => (contact ? [[contact.email, contact] as const] : [])));
  return created.map((contact) => now.get(contact.email) ?? contact);
}

/** Lifts a suppression; the contact gets its status back first, so that nothing is mailed in between. */
export async function liftSuppression(
  teamId: number,
  email: string,
  reason: SuppressionReason,
  by: Actor,
): Promise<void> {
  await changeContacts(teamId, [email], ([stored]) => [stored!.contact && lifted(stored!.contact, timestamp())]);
  if (await suppressions.remove(teamId, email, reason, by)) return;
  // The address was suppressed for another reason at the same time, which stays.
  const other = await suppressions.find(teamId, email);
  if (other) await follow(teamId, email, other.reason);
}
