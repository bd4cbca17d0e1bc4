import * as suppressions from '../data/suppressions.ts';
import { liftSuppression as lifted, statusWhenSuppressed, suppressContact } from '../domain/contact.ts';
import { isPlatformWide, type SuppressionReason } from '../domain/suppression.ts';
import { timestamp } from '../domain/time.ts';
import { changeContacts } from './change-contacts.ts';

/** Puts an address on the do-not-mail list and its contact, if there is one, into the status that follows; again changes nothing. A bounce or complaint that the provider itself reported (`confirmed`) counts for every team. */
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
  if (confirmed && isPlatformWide(reason, email)) await suppressions.addPlatform(email, reason);
  const campaign_id = input.campaign_id ?? undefined;
  const standing = await suppressions.add(teamId, { email, reason, source, campaign_id, metadata });
  const status = statusWhenSuppressed(reason);
  // A soft-deleted contact too: a restore keeps what happened to its address.
  if (status)
    await changeContacts(teamId, [email], ([stored]) => [
      stored!.contact && suppressContact(stored!.contact, status, timestamp()),
    ]);
  return standing;
}

/** Takes an address off the team's do-not-mail list; its contact gets back the status it had. The list goes last: until then nothing is mailed. */
export async function liftSuppression(teamId: number, email: string): Promise<void> {
  await changeContacts(teamId, [email], ([stored]) => [stored!.contact && lifted(stored!.contact, timestamp())]);
  await suppressions.remove(teamId, email);
}
