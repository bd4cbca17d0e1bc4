import { findIdentity } from '../../aws/identities.ts';
import { domainOf } from '../../domain/email-address.ts';

/** Whether SES has verified each address or its domain, asked one after the other: SES takes one such call a second. */
export async function recipientsVerified(emails: readonly string[]): Promise<boolean> {
  const known = new Map<string, boolean>();
  const verified = async (identity: string): Promise<boolean> => {
    const found = known.get(identity) ?? (await findIdentity(identity, 'patiently'))?.status === 'verified';
    known.set(identity, found);
    return found;
  };
  for (const email of emails) if (!(await verified(domainOf(email))) && !(await verified(email))) return false;
  return true;
}
